// The refusal of a password attempt by a limit: its error, and its audit event.

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
	/** `address`: failures of the client's address over all names. */
	readonly limit: "name" | "address";
	readonly blockedUntilMs: number;
}

/**
 * Records a refusal once while a name is blocked, and once per address in `ADDRESS_FAILURES.windowMs`: refused attempts
 * cost their sender nothing, so they must not each add a row.
 */
export async function noteRefusal(
	{ db, clock }: Needs<"refusalNotes" | "audit", "clock">,
	{ tenantId, name, ip, address = ip }: Attempt,
	{ limit, blockedUntilMs }: AttemptRefusal,
	record: RecordRefusal,
): Promise<void> {
	const now = clock();
	const isName = limit === "name";
	const note = isName ? { tenantId, subject: name, ip } : { tenantId, subject: "", ip: address };
	const untilMs = isName ? blockedUntilMs : now + ADDRESS_FAILURES.windowMs;
	const wait = secondsUntil(blockedUntilMs, now);
	const why = { reason: "login.too_many", limit, wait_seconds: wait };
	await db.transaction(async ({ refusalNotes, audit }) => {
		if (await refusalNotes.note(note, untilMs, now)) await record(audit, why);
	});
}

export function tooManyAttempts({ limit, blockedUntilMs }: AttemptRefusal, nowMs: number): AppError {
	const isName = limit === "name";
	return tooMany("login.too_many", `too many failed sign-ins${isName ? "" : " from your address"}`, {
		limit: isName ? FAILURES_BEFORE_DELAY : ADDRESS_FAILURES.count,
		seconds: secondsUntil(blockedUntilMs, nowMs),
	});
}
