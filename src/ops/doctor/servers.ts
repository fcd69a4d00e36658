// Checks the servers that the service calls: Redis, and the mail server.

import { join } from "node:path";
import { createSmtpTransport } from "../../adapters/mail/smtp-transport.ts";
import type { Config } from "../../config/config.ts";
import { MailDeliveryError } from "../../domain/mail-transport.ts";
import { loadMailTexts } from "../../features/record/mail/mail-texts.ts";
import { StartError } from "../../kernel/start-error.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { isLocal, publicHost } from "./public-host.ts";

export async function examineRedis(config: Config): Promise<Finding> {
	if (config.redisUrl === null) {
		const text = "is not set: each process counts requests for itself";
		// Several nodes are possible only with PostgreSQL.
		return config.databaseUrl === null
			? ok("redis", text)
			: warn("redis", `${text}; set LATCHKEY_REDIS_URL for several nodes`);
	}
	const { inspectRedis } = await import("../../adapters/redis/inspect-redis.ts");
	const { shown, serverName, milliseconds, problem } = await inspectRedis(config.redisUrl);
	if (problem !== undefined)
		return fail("redis", `${shown} does not count for us (${problem}): see LATCHKEY_REDIS_URL`);
	return ok("redis", `${serverName} counts for us, in ${milliseconds} ms`);
}

export async function examineMail(config: Config): Promise<Finding> {
	try {
		loadMailTexts(config.mailTexts);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		return fail("mail", error.message);
	}
	if (config.smtpUrl === null) {
		const text = `becomes files in ${join(config.dataDir, "mail")}`;
		return isLocal(publicHost(config)) ? ok("mail", text) : warn("mail", `${text}: set LATCHKEY_SMTP_URL`);
	}
	const transport = createSmtpTransport({ url: config.smtpUrl });
	try {
		await transport.verify();
		return ok("mail", "the mail server takes us");
	} catch (error) {
		if (!(error instanceof MailDeliveryError)) throw error;
		return fail("mail", `the mail server does not take us (${error.message}): see LATCHKEY_SMTP_URL`);
	} finally {
		transport.close();
	}
}
