// Counted password attempts in SQL: one upsert counts and decides.

import {
	ANY_ADDRESS,
	FAILURES_BEFORE_DELAY,
	FAILURES_BEFORE_LOCK,
	FAILURES_KEPT_SECONDS,
	FIRST_DELAY_SECONDS,
	LONGEST_DELAY_SECONDS,
	type LoginFailureStore,
} from "../../features/auth/model.ts";
import { DAY_MS, SECOND_MS } from "../../kernel/clock.ts";
import { rateLimitKey } from "../../kernel/ip.ts";
import type { Queries } from "./engine.ts";

/** Attempts at an account over all addresses count "in a row": they are forgotten only when nobody tried for long. */
const ACCOUNT_KEPT_MS = 30 * DAY_MS;
const THIS_SUBJECT = "tenant_id = $1 AND subject = $2 AND ip = $3";
const INSERT = `INSERT INTO login_failures (tenant_id, subject, ip, failures, blocked_until, updated_at)
	VALUES ($1, $2, $3, 1, 0, $4) ON CONFLICT (tenant_id, subject, ip) DO UPDATE SET`;
/** `$5`: what was last touched before then starts anew. */
const RESERVE = `${INSERT}
	failures = CASE WHEN login_failures.updated_at <= $5 THEN 1 ELSE login_failures.failures + 1 END,
	blocked_until = CASE WHEN login_failures.updated_at <= $5 THEN 0 ELSE ${blockedUntil("login_failures.failures + 1", "$4")} END,
	updated_at = excluded.updated_at
	WHERE login_failures.blocked_until <= $4`;

/** SQL for the time until which the `count`th failure in a row blocks: 30 s after the fifth, twice as long after each further one. */
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
			const staleBefore = nowMs - FAILURES_KEPT_SECONDS * SECOND_MS;
			const counted = await queries.run(RESERVE, tenantId, subject, rateLimitKey(ip), nowMs, staleBefore);
			if (counted === 1) return undefined;
			const row = await queries.one<{ blocked_until: number; failures: number; updated_at: number }>(
				`SELECT blocked_until, failures, updated_at FROM login_failures WHERE ${THIS_SUBJECT}`,
				tenantId,
				subject,
				rateLimitKey(ip),
			);
			return {
				blockedUntilMs: row?.blocked_until ?? nowMs,
				failures: row?.failures ?? 0,
				sinceMs: row?.updated_at ?? nowMs,
			};
		},
		async count(tenantId, subject, nowMs) {
			const row = await queries.one<{ failures: number }>(
				`${INSERT} failures = login_failures.failures + 1, updated_at = excluded.updated_at RETURNING failures`,
				tenantId,
				subject,
				ANY_ADDRESS,
				nowMs,
			);
			if (row === undefined) throw new Error("an attempt could not be counted");
			return row.failures;
		},
		async release(tenantId, subject, ip) {
			await queries.run(
				`UPDATE login_failures SET failures = failures - 1, blocked_until = 0 WHERE ${THIS_SUBJECT} AND failures > 0`,
				tenantId,
				subject,
				rateLimitKey(ip),
			);
		},
		async clear(tenantId, subject, ip) {
			await queries.run(
				`DELETE FROM login_failures WHERE ${THIS_SUBJECT}`,
				tenantId,
				subject,
				rateLimitKey(ip),
			);
		},
		async clearEverywhere(tenantId, subject) {
			const sql = "DELETE FROM login_failures WHERE tenant_id = $1 AND subject = $2";
			await queries.run(sql, tenantId, subject);
		},
		purge: (nowMs, limit) =>
			queries.run(
				`DELETE FROM login_failures WHERE (tenant_id, subject, ip) IN
				 (SELECT tenant_id, subject, ip FROM login_failures WHERE updated_at <= $1
				  AND (ip <> '' OR subject NOT LIKE 'user:%' OR (failures < ${FAILURES_BEFORE_LOCK} AND updated_at <= $2)) LIMIT $3)`,
				nowMs - FAILURES_KEPT_SECONDS * SECOND_MS,
				nowMs - ACCOUNT_KEPT_MS,
				limit,
			),
	};
}
