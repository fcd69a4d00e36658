// The deliveries of mail and of webhooks, as configured.

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
