// The jobs that run at intervals beside the requests.

import type { Platform } from "../features/platform.ts";
import { createFoldJob } from "../jobs/fold-counts.ts";
import { createExpiryNoticeJob } from "../jobs/notify-expiring.ts";
import { createPurgeJob } from "../jobs/purge-expired.ts";
import { createSigningKeyJob } from "../jobs/remove-signing-keys.ts";
import type { Worker } from "./stop-service.ts";

interface Job {
	readonly name: string;
	readonly everyMs: number;
	run(): Promise<void>;
}

/** Each job runs at its own interval, never twice at once. A failure is logged; the next interval tries again. */
export function createJobs(platform: Platform, uses: { flush(): Promise<void> }): Worker {
	const jobs: readonly Job[] = [
		createPurgeJob(platform),
		createSigningKeyJob(platform),
		createExpiryNoticeJob(platform),
		createFoldJob(platform),
		{ name: "record-uses", everyMs: 5_000, run: () => uses.flush() },
	];
	const timers: NodeJS.Timeout[] = [];
	const running = new Map<string, Promise<void>>();
	const start = (job: Job): void => {
		if (running.has(job.name)) return;
		const run = job
			.run()
			.catch((error: unknown) => platform.log.error({ job: job.name, err: error }, "job failed"))
			.finally(() => running.delete(job.name));
		running.set(job.name, run);
	};
	return {
		start() {
			for (const job of jobs) timers.push(setInterval(start, job.everyMs, job).unref());
		},
		async stop() {
			for (const timer of timers) clearInterval(timer);
			await Promise.all(running.values());
		},
	};
}
