// Expiry notices to the owners of API clients, in SQL: those that are due, and those that were sent.

import {
	type ClientNoticeStore,
	EXPIRY_NOTICE_DAYS,
	type ExpiringClient,
} from "../../domain/client-notice.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import type { Queries } from "../sql/queries.ts";
import { apiClients } from "../sql/tables/partner-tables.ts";

type Owner = ExpiringClient["owner"];
type DueRow = Omit<ExpiringClient, "daysBefore" | "owner"> &
	Omit<Owner, "name"> & { readonly ownerName: string };

/** Clients that expire after $1 and at most at $2, more than $3 after they were created. */
const DUE = `SELECT ${apiClients.pick("id", "tenantId", "name", "expiresAtMs").as("c").columns},
	r.applicant_name AS "ownerName", r.email, r.purpose, r.locale
	FROM api_clients AS c JOIN requests AS r ON r.id = c.access_request_id AND r.tenant_id = c.tenant_id
	WHERE c.expires_at > $1 AND c.expires_at <= $2 AND c.expires_at - c.created_at > $3 AND c.status = 'active' AND c.mode = 'live'
	AND NOT EXISTS (SELECT 1 FROM api_client_notices AS n
		WHERE n.client_id = c.id AND n.expires_at = c.expires_at AND n.days_before = $4)
	ORDER BY c.expires_at, c.id LIMIT $5`;

const CLAIM = `INSERT INTO api_client_notices (tenant_id, client_id, expires_at, days_before, noticed_at)
	SELECT tenant_id, id, expires_at, CAST($3 AS INTEGER), CAST($4 AS BIGINT) FROM api_clients
	WHERE id = $1 AND expires_at = $2 AND status = 'active' AND tenant_id = $5
	ON CONFLICT DO NOTHING`;

export function createClientNoticeStore(queries: Queries): ClientNoticeStore {
	return {
		async listDue(nowMs, limit) {
			const due: ExpiringClient[] = [];
			for (const [index, days] of EXPIRY_NOTICE_DAYS.entries()) {
				// During the last 7 days, the 30-day notice is too late.
				const after = nowMs + (EXPIRY_NOTICE_DAYS[index + 1] ?? 0) * DAY_MS;
				const before = nowMs + days * DAY_MS;
				const rows = await queries.all<DueRow>(DUE, after, before, days * DAY_MS, days, limit);
				for (const { ownerName: name, email, purpose, locale, ...client } of rows)
					due.push({ ...client, daysBefore: days, owner: { name, email, purpose, locale } });
			}
			return due.toSorted((one, other) => one.expiresAtMs - other.expiresAtMs).slice(0, limit);
		},
		async claim({ id, tenantId, expiresAtMs, daysBefore }, nowMs) {
			return (await queries.run(CLAIM, id, expiresAtMs, daysBefore, nowMs, tenantId)) === 1;
		},
	};
}
