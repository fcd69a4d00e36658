// Mailed codes in SQL: single conditional statements limit how often they are sent and tried.

import {
	CODE_RESEND_SECONDS,
	CODE_SENDS_PER_HOUR,
	CODE_TRIES,
	type CountedMail,
	type EmailCodeKey,
	type EmailCodeStore,
	type SendRefusal,
} from "../../domain/mailed-code.ts";
import { HOUR_MS, SECOND_MS } from "../../kernel/clock.ts";
import type { Queries } from "../sql/queries.ts";
import { addressMails, emailCodes } from "../sql/tables/account-tables.ts";

const put = emailCodes.insertWith({
	onConflict: `(tenant_id, purpose, address) DO UPDATE SET
		code_digest = excluded.code_digest, tries_left = excluded.tries_left, expires_at = excluded.expires_at`,
});
/** The table stores the last five sends: the oldest decides whether the hourly limit is reached. */
const countSend = addressMails.insertWith({
	onConflict: `(purpose, address) DO UPDATE SET
		sent_1_at = excluded.sent_1_at, sent_2_at = address_mails.sent_1_at, sent_3_at = address_mails.sent_2_at,
		sent_4_at = address_mails.sent_3_at, sent_5_at = address_mails.sent_4_at
	WHERE address_mails.sent_1_at <= {0} AND address_mails.sent_5_at <= {1}`,
});
const RESEND_MS = CODE_RESEND_SECONDS * SECOND_MS;
const NOT_SENT = { sent2AtMs: 0, sent3AtMs: 0, sent4AtMs: 0, sent5AtMs: 0 };
const LIVE = "tenant_id = $1 AND purpose = $2 AND address = $3 AND tries_left > 0 AND expires_at > $4";
const TRY = `UPDATE email_codes SET tries_left = tries_left - CASE WHEN code_digest = $5 THEN 0 ELSE 1 END
	WHERE ${LIVE} RETURNING CASE WHEN code_digest = $5 THEN 1 ELSE 0 END AS matched`;

export function createEmailCodeStore(queries: Queries): EmailCodeStore {
	return {
		async countSend(mail, nowMs) {
			const { purpose, address } = mail;
			const send = { purpose, address, sent1AtMs: nowMs, ...NOT_SENT };
			const counted = await countSend(queries, send, nowMs - RESEND_MS, nowMs - HOUR_MS);
			return counted === 1 ? undefined : await nextSend(queries, mail, nowMs);
		},
		async put(code) {
			await put(queries, { ...code, triesLeft: CODE_TRIES });
		},
		async tryCode(code, codeDigest, nowMs) {
			const tried = await queries.one<{ matched: number }>(TRY, ...valuesOf(code), nowMs, codeDigest);
			if (tried === undefined) return "dead";
			return tried.matched === 1 ? "right" : "wrong";
		},
		consume: (code, codeDigest, nowMs) =>
			emailCodes.updateOne(
				queries,
				{ triesLeft: 0, codeDigest: "" },
				`${LIVE} AND code_digest = $5`,
				...valuesOf(code),
				nowMs,
				codeDigest,
			),
		purge: (nowMs, limit) => emailCodes.purge(queries, "expires_at <= $1", nowMs, limit),
		purgeSends: (nowMs, limit) => addressMails.purge(queries, "sent_1_at <= $1", nowMs - HOUR_MS, limit),
	};
}

async function nextSend(
	queries: Queries,
	{ purpose, address }: CountedMail,
	nowMs: number,
): Promise<SendRefusal> {
	const sends = await addressMails.find(queries, { purpose, address });
	const afterResend = (sends?.sent1AtMs ?? nowMs) + RESEND_MS;
	const afterHour = (sends?.sent5AtMs ?? 0) + HOUR_MS;
	return afterHour > afterResend
		? { limit: CODE_SENDS_PER_HOUR, retryAtMs: afterHour }
		: { limit: 1, retryAtMs: afterResend };
}

function valuesOf({ tenantId, purpose, address }: EmailCodeKey): [string, string, string] {
	return [tenantId, purpose, address];
}
