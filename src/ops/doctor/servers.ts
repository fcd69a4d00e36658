// Checks the servers that the service calls: Redis, and the mail server.

import { join } from "node:path";
import { createSmtpTransport } from "../../adapters/mail/smtp-transport.ts";
import type { Config } from "../../config/config.ts";
import { mailClientName } from "../../config/public-host.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { MailDeliveryError } from "../../domain/mail-transport.ts";
import { loadMailTexts } from "../../features/record/mail/mail-texts.ts";
import type { Clock } from "../../kernel/clock.ts";
import { StartError } from "../../kernel/start-error.ts";
import { compareClock } from "./clock.ts";

/** Also checks the clock of this machine, if it differs from that of Redis. */
export async function examineRedis(
	{ redisUrl, databaseUrl }: Pick<Config, "redisUrl" | "databaseUrl">,
	clock: Clock,
): Promise<InstallationCheck[]> {
	// Several nodes are possible only with PostgreSQL.
	if (redisUrl === null) return [check(databaseUrl === null ? "redis.unset" : "redis.advised")];
	const { inspectRedis } = await import("../../adapters/redis/inspect-redis.ts");
	const { shown, serverName, milliseconds, time, problem } = await inspectRedis(redisUrl, clock);
	if (problem !== undefined) return [check("redis.unusable", { server: shown, reason: problem })];
	const counting = check("redis.counting", { server: serverName, milliseconds });
	const difference = time === undefined ? undefined : compareClock({ server: serverName, ...time });
	return difference === undefined ? [counting] : [counting, difference];
}

export async function examineMail(config: Config): Promise<InstallationCheck> {
	try {
		loadMailTexts(config.mailTexts);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		return check("mail.texts_invalid", { reason: error.message });
	}
	if (config.smtpUrl === null) return check("mail.undelivered", { path: join(config.dataDir, "mail") });
	const transport = createSmtpTransport({ url: config.smtpUrl, clientName: mailClientName(config) });
	try {
		await transport.verify();
		return check("mail.accepted");
	} catch (error) {
		if (!(error instanceof MailDeliveryError)) throw error;
		return check("mail.refused", { reason: error.message });
	} finally {
		transport.close();
	}
}
