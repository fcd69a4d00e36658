// When a mail is no longer worth delivering.

import type { OutboxMail } from "../../../domain/mail.ts";
import { MINUTE_MS } from "../../../kernel/clock.ts";

/** When the code, link or client of the mail expires, in milliseconds; undefined for mails that never expire. */
export function mailExpiryMs({ message, createdAtMs }: OutboxMail): number | undefined {
	if ("expiresInMinutes" in message) return createdAtMs + message.expiresInMinutes * MINUTE_MS;
	if ("claimExpiresAt" in message) return Date.parse(message.claimExpiresAt);
	if ("expiresAt" in message) return Date.parse(message.expiresAt);
	return undefined;
}
