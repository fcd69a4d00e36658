// How many mails an address may cause, in SQL: one conditional upsert counts and decides.

import type { MailAllowanceStore } from "../../features/mail/model.ts";
import { HOUR_MS } from "../../kernel/clock.ts";
import type { Queries } from "./engine.ts";

/** Each request pushes `earned_at` one interval on; it may lie at most an hour ahead. */
const TAKE = `INSERT INTO mail_allowances (tenant_id, ip, earned_at) VALUES ($1, $2, $6)
	ON CONFLICT (tenant_id, ip) DO UPDATE SET earned_at =
		CASE WHEN mail_allowances.earned_at > $3 THEN mail_allowances.earned_at ELSE $3 END + $4
	WHERE mail_allowances.earned_at + $4 <= $5`;

export function createMailAllowanceStore(queries: Queries): MailAllowanceStore {
	return {
		async take(tenantId, ip, perHour, nowMs) {
			const intervalMs = Math.ceil(HOUR_MS / perHour);
			const latestMs = nowMs + intervalMs * perHour;
			const taken = await queries.run(TAKE, tenantId, ip, nowMs, intervalMs, latestMs, nowMs + intervalMs);
			if (taken === 1) return undefined;
			const row = await queries.one<{ earned_at: number }>(
				"SELECT earned_at FROM mail_allowances WHERE tenant_id = $1 AND ip = $2",
				tenantId,
				ip,
			);
			return (row?.earned_at ?? nowMs) + intervalMs - intervalMs * perHour;
		},
		purge: (nowMs, limit) =>
			queries.run(
				`DELETE FROM mail_allowances WHERE (tenant_id, ip) IN
				 (SELECT tenant_id, ip FROM mail_allowances WHERE earned_at <= $1 LIMIT $2)`,
				nowMs,
				limit,
			),
	};
}
