// The baseline for sign-in: the bcrypt library alone, with as many parallel hashes as the service.

import { hash, verify } from "@node-rs/bcrypt";

export interface HashTask {
	readonly cost: number;
	readonly threads: number;
	readonly count: number;
}

export interface HashResult {
	/** From the start of the first hash to the end of the last. */
	readonly seconds: number;
	readonly processorSeconds: number;
}

const PASSWORD = "correct horse battery staple";

process.on("message", (task: HashTask) => {
	run(task).then(
		(result) => process.send?.(result),
		(error: Error) => process.send?.({ error: error.message }),
	);
});
process.on("disconnect", () => process.exit(0));

async function run({ cost, threads, count }: HashTask): Promise<HashResult> {
	const known = await hash(PASSWORD, cost);
	const usage = process.cpuUsage();
	const start = performance.now();
	let begun = 0;
	const worker = async (): Promise<void> => {
		while (begun++ < count) {
			if (!(await verify(PASSWORD, known))) throw new Error("the library refused its own hash");
		}
	};
	await Promise.all(Array.from({ length: threads }, worker));
	const { user, system } = process.cpuUsage(usage);
	return { seconds: (performance.now() - start) / 1000, processorSeconds: (user + system) / 1e6 };
}
