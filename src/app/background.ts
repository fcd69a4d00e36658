// What runs beside the requests: the deliveries of mail and of webhooks, and the jobs at intervals.

import { join } from "node:path";
import { createEmlTransport } from "../adapters/mail/eml-transport.ts";
import { createSmtpTransport } from "../adapters/mail/smtp-transport.ts";
import { createHttpsSender } from "../adapters/webhooks/https-sender.ts";
import type { Config } from "../config/config.ts";
import type { MailQueue } from "../domain/mail.ts";
import type { MailTransport } from "../domain/mail-transport.ts";
import type { Db } from "../domain/stores.ts";
import type { Needs, Platform } from "../features/platform.ts";
import { createMailDelivery, type MailDelivery } from "../jobs/deliver-mail.ts";
import { createWebhookDelivery } from "../jobs/deliver-webhooks.ts";
import { createFoldJob } from "../jobs/fold-counts.ts";
import { createExpiryNoticeJob } from "../jobs/notify-expiring.ts";
import { createPurgeJob } from "../jobs/purge-expired.ts";
import { createSigningKeyJob } from "../jobs/remove-signing-keys.ts";

export interface Mail {
	readonly transport: MailTransport;
	readonly delivery: MailDelivery;
}

/** Without an SMTP server each mail becomes a file in the data folder. */
export function createMail(config: Config, { db, clock, log }: Needs<"mail", "clock" | "log">): Mail {
	const transport =
		config.smtpUrl === null
			? createEmlTransport(join(config.dataDir, "mail"))
			: createSmtpTransport({ url: config.smtpUrl });
	const { mailFrom: from, publicUrl } = config;
	return {
		transport,
		delivery: createMailDelivery({ queue: mailQueue(db), transport, clock, log, from, publicUrl }),
	};
}

export function createWebhooks(platform: Platform) {
	const sender = createHttpsSender({ isAllowed: platform.isWebhookAddress });
	return createWebhookDelivery({ ...platform, sender });
}

/** Claiming reads and writes, so it needs a transaction. The rest are single statements. */
function mailQueue(db: Db<"mail">): MailQueue {
	return {
		...db.stores.mail,
		claimDue: (nowMs, limit, leaseMs) => db.transaction(({ mail }) => mail.claimDue(nowMs, limit, leaseMs)),
	};
}

/** What runs beside the requests. */
export interface Worker {
	start(): void;
	/** Resolves when nothing runs any more. */
	stop(): Promise<void>;
}

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
