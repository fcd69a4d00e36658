// Background work: the delivery of mail, webhooks, and logout notices, and periodic jobs.

import { join } from "node:path";
import { createEmlTransport } from "../adapters/mail/eml-transport.ts";
import { createHttpsSender } from "../adapters/webhooks/https-sender.ts";
import type { Config } from "../config/config.ts";
import { mailClientName } from "../config/public-host.ts";
import type { MailQueue } from "../domain/mail.ts";
import type { MailTransport } from "../domain/mail-transport.ts";
import type { Db } from "../domain/stores.ts";
import { removeEnded } from "../features/access/applications/remove-ended.ts";
import { runReviews } from "../features/access/reviews/close-reviews.ts";
import { checkDomains } from "../features/identity/domains/check-domains.ts";
import { readBrand } from "../features/identity/tenants/read-brand.ts";
import { notifyExpiring } from "../features/partners/api-clients/notify-expiring.ts";
import { checkPrograms } from "../features/partners/programs/check-programs.ts";
import type { Needs, Platform } from "../features/platform.ts";
import { loadMailTexts, type MailTexts } from "../features/record/mail/mail-texts.ts";
import { renderMail, renderOptions } from "../features/record/mail/render.ts";
import { createLogoutDelivery, type LogoutDeliveryStats } from "../jobs/deliver-logouts.ts";
import { MailDelivery } from "../jobs/deliver-mail.ts";
import { createWebhookDelivery } from "../jobs/deliver-webhooks.ts";
import { createPurgeJob } from "../jobs/purge-expired.ts";
import { createSigningKeyJob } from "../jobs/remove-signing-keys.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Tracing } from "../kernel/tracing.ts";
import { installationBrand } from "./platform.ts";

/** Where the spans of deliveries go. */
interface Traced {
	readonly tracing: Tracing | undefined;
}

export interface Mail {
	readonly transport: MailTransport;
	readonly delivery: MailDelivery;
	readonly preview: Platform["previewMail"];
}

/** Without an SMTP server, each mail becomes a file in the data directory. */
export async function createMailTransport(config: Config): Promise<MailTransport> {
	const { smtpUrl, dataDir } = config;
	if (smtpUrl === null) return createEmlTransport(join(dataDir, "mail"));
	const { createSmtpTransport } = await import("../adapters/mail/smtp-transport.ts");
	return createSmtpTransport({ url: smtpUrl, clientName: mailClientName(config) });
}

export async function createMail(
	config: Config,
	{
		db,
		clock,
		log,
		statistics,
		tracing,
	}: Needs<"mail" | "brands" | "tenants", "clock" | "log" | "statistics"> & Traced,
): Promise<Mail> {
	const transport = await createMailTransport(config);
	const { mailFrom: from, publicUrl } = config;
	const texts = loadMailTexts(config.mailTexts);
	warnOfMissingTexts(texts, log);
	return {
		transport,
		preview: createMailPreview(config, { db, clock }, texts),
		delivery: new MailDelivery({
			queue: mailQueue(db),
			transport,
			brandOf: brandReader(config, db),
			clock,
			log,
			statistics,
			tracing,
			from,
			publicUrl,
			texts,
		}),
	};
}

export function createMailPreview(
	config: Config,
	{ db, clock }: Needs<"brands" | "tenants", "clock">,
	texts = loadMailTexts(config.mailTexts),
): Platform["previewMail"] {
	const { mailFrom: from, publicUrl } = config;
	const brandOf = brandReader(config, db);
	return async (mail) => {
		const options = renderOptions({ from, publicUrl, texts }, await brandOf(mail.tenantId));
		return renderMail({ ...mail, id: "preview", createdAtMs: clock() }, options);
	};
}

function brandReader(config: Config, db: Db<"brands" | "tenants">) {
	return (tenantId: string) => readBrand({ db, brand: installationBrand(config) }, tenantId);
}

function warnOfMissingTexts(texts: MailTexts, log: Log): void {
	for (const language of texts.locales) {
		const { missing } = texts.of(language);
		if (missing.length > 0)
			log.warn({ language, missing }, "mails without a text in this language are sent in English");
	}
}

interface Calls {
	readonly workers: readonly Worker[];
	readonly logoutStats: () => LogoutDeliveryStats;
}

/** Logout notices may go to the same IP addresses as webhooks. */
export function createCalls(platform: Platform & Traced): Calls {
	const sender = createHttpsSender({ isAllowed: platform.isWebhookAddress, clock: platform.clock });
	const logouts = createLogoutDelivery({ ...platform, sender });
	return {
		workers: [createWebhookDelivery({ ...platform, sender }), logouts.loop],
		logoutStats: logouts.stats,
	};
}

/** Claiming reads and writes, so it needs a transaction. All other calls are single statements. */
function mailQueue(db: Db<"mail">): MailQueue {
	return {
		...db.stores.mail,
		claimDue: (nowMs, limit, leaseMs) => db.transaction(({ mail }) => mail.claimDue(nowMs, limit, leaseMs)),
	};
}

/** Background work that starts and stops with the service. */
export interface Worker {
	start(): void;
	/** Resolves when all of its work has ended. */
	stop(): Promise<void>;
}

/** Periodic work. */
export interface Job {
	readonly name: string;
	readonly everyMs: number;
	run(): Promise<unknown>;
}

async function notifyEnds(platform: Platform): Promise<number> {
	const job = await import("../jobs/notify-ends.ts");
	return await job.notifyEnds(platform);
}

async function sendRequestDigests(platform: Platform): Promise<number> {
	const job = await import("../jobs/send-request-digests.ts");
	return await job.sendRequestDigests(platform);
}

/** Loaded when it first runs, not at the start. */
async function disableDormant(platform: Platform): Promise<number> {
	const job = await import("../jobs/disable-dormant.ts");
	return await job.disableDormant(platform);
}

/** Each job runs at its own interval, never concurrently with itself. A failure is logged, and the next run retries. */
export function createJobs(platform: Platform, others: readonly Job[]): Worker {
	const jobs: readonly Job[] = [
		...others,
		createPurgeJob(platform),
		createSigningKeyJob(platform),
		{ name: "remove-ended", everyMs: MINUTE_MS, run: () => removeEnded(platform) },
		{ name: "notify-expiring", everyMs: 10 * MINUTE_MS, run: () => notifyExpiring(platform) },
		{ name: "disable-dormant", everyMs: 10 * MINUTE_MS, run: () => disableDormant(platform) },
		{ name: "run-reviews", everyMs: MINUTE_MS, run: () => runReviews(platform) },
		{ name: "notify-ends", everyMs: HOUR_MS, run: () => notifyEnds(platform) },
		{ name: "send-request-digests", everyMs: MINUTE_MS, run: () => sendRequestDigests(platform) },
		{ name: "check-domains", everyMs: MINUTE_MS, run: () => checkDomains(platform) },
		{ name: "check-programs", everyMs: MINUTE_MS, run: () => checkPrograms(platform) },
		// Totals are exact before and after. Folding keeps them fast to read.
		{
			name: "fold-counts",
			everyMs: 5 * SECOND_MS,
			run: () => platform.db.transaction(({ rowCounts }) => rowCounts.fold()),
		},
		{
			name: "observe-queues",
			everyMs: MINUTE_MS,
			run: () => platform.db.transaction(({ statistics }) => statistics.observe(platform.clock())),
		},
	];
	const timers: NodeJS.Timeout[] = [];
	const running = new Map<string, Promise<unknown>>();
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
