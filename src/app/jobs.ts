// The list of jobs that run beside the requests (mail delivery has its own pace and is started apart).

import type { Platform } from "./platform.ts";

export interface Jobs {
	start(): void;
	/** Resolves when no job runs any more. */
	stop(): Promise<void>;
}

export interface Job {
	readonly name: string;
	readonly everyMs: number;
	run(): Promise<void>;
}

/** Each job runs at its own interval, never twice at once; a failure is logged and tried again next time. */
export function createJobs({ log }: Platform, list: readonly Job[] = []): Jobs {
	const timers: NodeJS.Timeout[] = [];
	const running = new Map<string, Promise<void>>();
	const start = (job: Job): void => {
		if (running.has(job.name)) return;
		const run = job
			.run()
			.catch((error: unknown) => log.error({ job: job.name, err: error }, "job failed"))
			.finally(() => running.delete(job.name));
		running.set(job.name, run);
	};
	return {
		start() {
			for (const job of list) timers.push(setInterval(start, job.everyMs, job).unref());
		},
		async stop() {
			for (const timer of timers) clearInterval(timer);
			await Promise.all(running.values());
		},
	};
}
