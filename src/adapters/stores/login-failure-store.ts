// Failed password attempts in SQL: one upsert counts and decides. Also which refusals are already in the audit trail.

import {
	ANY_ADDRESS,
	FAILURES_BEFORE_DELAY,
	FAILURES_BEFORE_LOCK,
	FAILURES_KEPT_SECONDS,
	FIRST_DELAY_SECONDS,
	LONGEST_DELAY_SECONDS,
	type LoginFailureStore,
	type RefusalNoteStore,
} from "../../domain/sign-in-attempt.ts";
import { CLOCKS_APART_MS, DAY_MS, SECOND_MS } from "../../kernel/clock.ts";
import { rateLimitKey } from "../../kernel/ip.ts";
import type { Queries } from "../sql/queries.ts";
import { loginFailures, refusalNotes } from "../sql/tables/sign-in-tables.ts";

/** Consecutive failures of an account, counted over all IP addresses, expire after this time without a new one. */
const ACCOUNT_KEPT_MS = 30 * DAY_MS;
const KEPT_MS = FAILURES_KEPT_SECONDS * SECOND_MS;
/** A row last written before `{0}` starts over. One written after `{1}` had another clock: its wait has no known end. */
const reserve = loginFailures.insertWith({
	onConflict: `(tenant_id, subject, ip) DO UPDATE SET
		failures = CASE WHEN login_failures.updated_at <= {0} THEN 1 ELSE login_failures.failures + 1 END,
		blocked_until = CASE WHEN login_failures.updated_at <= {0} THEN 0
			ELSE ${blockedUntil("login_failures.failures + 1", "{updatedAtMs}")} END,
		updated_at = excluded.updated_at
		WHERE login_failures.blocked_until <= {updatedAtMs} OR login_failures.updated_at > {1}`,
});
const COUNT = `${loginFailures.insertSql({
	onConflict:
		"(tenant_id, subject, ip) DO UPDATE SET failures = login_failures.failures + 1, updated_at = excluded.updated_at",
})} RETURNING failures`;
const RELEASE = `UPDATE login_failures SET failures = failures - 1, blocked_until = 0
	WHERE tenant_id = $1 AND subject = $2 AND ip = $3 AND failures > 0`;
const CLEAR = "DELETE FROM login_failures WHERE tenant_id = $1 AND subject = $2 RETURNING ip, failures";
const LOCKED = `tenant_id = $1 AND subject IN ($2, $3) AND ip = '' AND failures >= ${FAILURES_BEFORE_LOCK}`;
const OLD = `updated_at <= $1 AND (ip <> '' OR subject NOT LIKE 'user:%'
	OR (failures < ${FAILURES_BEFORE_LOCK} AND updated_at <= $2))`;

/** SQL for the end of the block after `count` consecutive failures: 30 s after the fifth, doubled with each further one. */
function blockedUntil(count: string, now: string): string {
	const cases: string[] = [];
	let failures = FAILURES_BEFORE_DELAY;
	for (let seconds = FIRST_DELAY_SECONDS; seconds < LONGEST_DELAY_SECONDS; seconds *= 2)
		cases.push(`WHEN ${count} = ${failures++} THEN ${now} + ${seconds * SECOND_MS}`);
	return `CASE WHEN ${count} < ${FAILURES_BEFORE_DELAY} THEN 0 ${cases.join(" ")} ELSE ${now} + ${LONGEST_DELAY_SECONDS * SECOND_MS} END`;
}

export function createLoginFailureStore(queries: Queries): LoginFailureStore {
	return {
		async reserve(tenantId, subject, ip, nowMs) {
			const key = { tenantId, subject, ip: rateLimitKey(ip) };
			const first = { ...key, failures: 1, blockedUntilMs: 0, updatedAtMs: nowMs };
			if ((await reserve(queries, first, nowMs - KEPT_MS, nowMs + CLOCKS_APART_MS)) === 1) return undefined;
			const row = await loginFailures.find(queries, key);
			return {
				blockedUntilMs: row?.blockedUntilMs ?? nowMs,
				failures: row?.failures ?? 0,
				sinceMs: row?.updatedAtMs ?? nowMs,
			};
		},
		async count(tenantId, subject, nowMs) {
			const first = [tenantId, subject, ANY_ADDRESS, 1, 0, nowMs];
			const row = await queries.one<{ failures: number }>(COUNT, ...first);
			if (row === undefined) throw new Error("an attempt could not be counted");
			return row.failures;
		},
		async release(tenantId, subject, ip) {
			await queries.run(RELEASE, tenantId, subject, rateLimitKey(ip));
		},
		async clear(tenantId, subject, ip) {
			await loginFailures.delete(queries, { tenantId, subject, ip: rateLimitKey(ip) });
		},
		async clearEverywhere(tenantId, subject) {
			const cleared = await queries.all<{ ip: string; failures: number }>(CLEAR, tenantId, subject);
			return cleared.find(({ ip }) => ip === ANY_ADDRESS)?.failures ?? 0;
		},
		isAnyLocked: (tenantId, subjects) => loginFailures.exists(queries, LOCKED, tenantId, ...subjects),
		purge: (nowMs, limit) =>
			loginFailures.purge(queries, OLD, nowMs - KEPT_MS, nowMs - ACCOUNT_KEPT_MS, limit),
	};
}

const note = refusalNotes.insertWith({
	onConflict: `(tenant_id, subject, ip) DO UPDATE SET noted_until = excluded.noted_until
		WHERE refusal_notes.noted_until <= {0}`,
});

export function createRefusalNoteStore(queries: Queries): RefusalNoteStore {
	return {
		note: async (of, notedUntilMs, nowMs) =>
			(await note(queries, { ...of, ip: rateLimitKey(of.ip), notedUntilMs }, nowMs)) === 1,
		purge: (nowMs, limit) => refusalNotes.purge(queries, "noted_until <= $1", nowMs, limit),
	};
}
