// The refusal of a password attempt by a limit: its error and its audit event.

import {
	ADDRESS_FAILURES,
	type Attempt,
	FAILURES_BEFORE_DELAY,
	type RecordRefusal,
} from "../../../domain/sign-in-attempt.ts";
import { secondsUntil } from "../../../kernel/clock.ts";
import { type AppError, tooMany } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

export interface AttemptRefusal {
	/** `address`: failures of the client's IP address across all names. */
	readonly limit: "name" | "address";
	readonly blockedUntilMs: number;
}

/**
 * Records one refusal while a name is blocked, and one per IP address in `ADDRESS_FAILURES.windowMs`. Refused attempts
 * are cheap for the sender, so they must not add a row each.
 */
export async function recordRefusal(
	{ db, clock }: Needs<"refusalNotes" | "audit", "clock">,
	{ tenantId, name, ip, address = ip }: Attempt,
	{ limit, blockedUntilMs }: AttemptRefusal,
	append: RecordRefusal,
): Promise<void> {
	const now = clock();
	const isName = limit === "name";
	const note = isName ? { tenantId, subject: name, ip } : { tenantId, subject: "", ip: address };
	const untilMs = isName ? blockedUntilMs : now + ADDRESS_FAILURES.windowMs;
	const wait = secondsUntil(blockedUntilMs, now);
	const why = { reason: "login.too_many", limit, wait_seconds: wait };
	await db.transaction(async ({ refusalNotes, audit }) => {
		if (await refusalNotes.note(note, untilMs, now)) await append(audit, why);
	});
}

export function tooManyAttempts({ limit, blockedUntilMs }: AttemptRefusal, nowMs: number): AppError {
	const isName = limit === "name";
	return tooMany("login.too_many", `too many failed sign-ins${isName ? "" : " from your address"}`, {
		limit: isName ? FAILURES_BEFORE_DELAY : ADDRESS_FAILURES.count,
		seconds: secondsUntil(blockedUntilMs, nowMs),
	});
}
