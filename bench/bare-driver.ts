// The baseline for the service on PostgreSQL: the driver alone, with the same statements and as many connections.

import { hash, randomBytes } from "node:crypto";
import pg from "pg";
import { FRESH, type Statement } from "./statements.ts";

/** Message of the parent; the reply is a `DriverResult`. */
export interface DriverTask {
	readonly url: string;
	readonly statements: readonly Statement[];
	readonly connections: number;
	/** Requests in flight. */
	readonly concurrency: number;
	readonly seconds: number;
}

export interface DriverResult {
	/** Number of times that all statements ran in sequence. */
	readonly requests: number;
	readonly seconds: number;
	readonly processorSeconds: number;
}

// Read 64-bit integers as numbers, like the service.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

let pool: pg.Pool | undefined;

process.on("message", (task: DriverTask) => {
	run(task).then(
		(result) => process.send?.(result),
		(error: Error) => process.send?.({ error: error.message }),
	);
});
process.on("disconnect", () => process.exit(0));

async function run({
	url,
	statements,
	connections,
	concurrency,
	seconds,
}: DriverTask): Promise<DriverResult> {
	pool ??= new pg.Pool({ connectionString: url, max: connections });
	const ask = pool.query.bind(pool);
	// Named statements are planned once.
	const named = statements.map((statement) => ({ ...statement, name: hash("sha1", statement.text) }));
	const before = process.cpuUsage();
	const start = performance.now();
	const deadline = start + seconds * 1000;
	let requests = 0;
	const worker = async (): Promise<void> => {
		while (performance.now() < deadline) {
			for (const { name, text, values } of named) await ask({ name, text, values: values.map(fresh) });
			requests++;
		}
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
	const { user, system } = process.cpuUsage(before);
	return { requests, seconds: (performance.now() - start) / 1000, processorSeconds: (user + system) / 1e6 };
}

function fresh(value: string | number | null): string | number | null {
	return value === FRESH ? randomBytes(16).toString("base64url") : value;
}
