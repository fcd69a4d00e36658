// Mailed codes in SQL: how often they are sent and tried is decided by single conditional statements.

import {
	CODE_RESEND_SECONDS,
	CODE_SENDS_PER_HOUR,
	CODE_TRIES,
	type EmailCodeKey,
	type EmailCodeStore,
} from "../../features/auth/model.ts";
import { HOUR_MS, SECOND_MS } from "../../kernel/clock.ts";
import type { Queries } from "./engine.ts";

const RESEND_MS = CODE_RESEND_SECONDS * SECOND_MS;
const THIS_CODE = "tenant_id = $1 AND purpose = $2 AND address = $3";
/** The table remembers five sends: the oldest of them decides about the hour. */
const PUT = `INSERT INTO email_codes
	(tenant_id, purpose, address, code_digest, tries_left, expires_at, sent_1_at, sent_2_at, sent_3_at, sent_4_at, sent_5_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0, 0)
	ON CONFLICT (tenant_id, purpose, address) DO UPDATE SET
		code_digest = excluded.code_digest, tries_left = excluded.tries_left, expires_at = excluded.expires_at,
		sent_1_at = excluded.sent_1_at, sent_2_at = email_codes.sent_1_at, sent_3_at = email_codes.sent_2_at,
		sent_4_at = email_codes.sent_3_at, sent_5_at = email_codes.sent_4_at
	WHERE email_codes.sent_1_at <= $8 AND email_codes.sent_5_at <= $9`;

export function createEmailCodeStore(queries: Queries): EmailCodeStore {
	return {
		async put({ codeDigest, expiresAtMs, ...code }, nowMs) {
			const put = await queries.run(
				PUT,
				...valuesOf(code),
				codeDigest,
				CODE_TRIES,
				expiresAtMs,
				nowMs,
				nowMs - RESEND_MS,
				nowMs - HOUR_MS,
			);
			return put === 1 ? undefined : await nextSend(queries, code, nowMs);
		},
		async tryCode(code, codeDigest, nowMs) {
			const tried = await queries.one<{ matched: number }>(
				`UPDATE email_codes SET tries_left = tries_left - CASE WHEN code_digest = $4 THEN 0 ELSE 1 END
				 WHERE ${THIS_CODE} AND tries_left > 0 AND expires_at > $5
				 RETURNING CASE WHEN code_digest = $4 THEN 1 ELSE 0 END AS matched`,
				...valuesOf(code),
				codeDigest,
				nowMs,
			);
			if (tried === undefined) return "dead";
			return tried.matched === 1 ? "right" : "wrong";
		},
		async consume(code, codeDigest, nowMs) {
			const consumed = await queries.run(
				`UPDATE email_codes SET tries_left = 0, code_digest = ''
				 WHERE ${THIS_CODE} AND code_digest = $4 AND tries_left > 0 AND expires_at > $5`,
				...valuesOf(code),
				codeDigest,
				nowMs,
			);
			return consumed === 1;
		},
		purge: (nowMs, limit) =>
			queries.run(
				`DELETE FROM email_codes WHERE (tenant_id, purpose, address) IN
				 (SELECT tenant_id, purpose, address FROM email_codes WHERE sent_1_at <= $1 AND expires_at <= $2 LIMIT $3)`,
				nowMs - HOUR_MS,
				nowMs,
				limit,
			),
	};
}

async function nextSend(queries: Queries, code: EmailCodeKey, nowMs: number) {
	const row = await queries.one<{ sent_1_at: number; sent_5_at: number }>(
		`SELECT sent_1_at, sent_5_at FROM email_codes WHERE ${THIS_CODE}`,
		...valuesOf(code),
	);
	const afterResend = (row?.sent_1_at ?? nowMs) + RESEND_MS;
	const afterHour = (row?.sent_5_at ?? 0) + HOUR_MS;
	return afterHour > afterResend
		? { limit: CODE_SENDS_PER_HOUR, retryAtMs: afterHour }
		: { limit: 1, retryAtMs: afterResend };
}

function valuesOf({ tenantId, purpose, address }: EmailCodeKey): [string, string, string] {
	return [tenantId, purpose, address];
}
