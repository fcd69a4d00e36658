// Which owners are due a notice that their client will expire, and which had it, in SQL.

import {
	type ClientNoticeStore,
	EXPIRY_NOTICE_DAYS,
	type ExpiringClient,
	type ExpiryNoticeDays,
} from "../../features/api-clients/model.ts";
import type { Locale } from "../../features/mail/model.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import type { Queries } from "./engine.ts";

interface DueRow {
	id: string;
	tenant_id: string;
	name: string;
	expires_at: number;
	owner_name: string;
	owner_email: string;
	owner_purpose: string;
	owner_locale: string;
}

/** Whose expiry is after $1 and at most $2, and lies more than $3 after the client was made. */
const DUE = `SELECT c.id, c.tenant_id, c.name, c.expires_at, r.applicant_name AS owner_name, r.email AS owner_email,
	r.purpose AS owner_purpose, r.locale AS owner_locale
	FROM api_clients AS c JOIN access_requests AS r ON r.id = c.access_request_id AND r.tenant_id = c.tenant_id
	WHERE c.expires_at > $1 AND c.expires_at <= $2 AND c.expires_at - c.created_at > $3 AND c.status = 'active'
	AND NOT EXISTS (SELECT 1 FROM api_client_notices AS n
		WHERE n.client_id = c.id AND n.expires_at = c.expires_at AND n.days_before = $4)
	ORDER BY c.expires_at, c.id LIMIT $5`;

const CLAIM = `INSERT INTO api_client_notices (client_id, expires_at, days_before, noticed_at)
	SELECT id, expires_at, CAST($3 AS INTEGER), CAST($4 AS BIGINT) FROM api_clients
	WHERE id = $1 AND expires_at = $2 AND status = 'active' AND tenant_id = $5
	ON CONFLICT DO NOTHING`;

export function createClientNoticeStore(queries: Queries): ClientNoticeStore {
	return {
		async listDue(nowMs, limit) {
			const due: ExpiringClient[] = [];
			for (const [index, days] of EXPIRY_NOTICE_DAYS.entries()) {
				// Within the last 7 days the notice of 30 would come too late.
				const after = nowMs + (EXPIRY_NOTICE_DAYS[index + 1] ?? 0) * DAY_MS;
				const before = nowMs + days * DAY_MS;
				const rows = await queries.all<DueRow>(DUE, after, before, days * DAY_MS, days, limit);
				due.push(...rows.map((row) => toExpiring(row, days)));
			}
			return due.toSorted((one, other) => one.expiresAtMs - other.expiresAtMs).slice(0, limit);
		},
		async claim({ id, tenantId, expiresAtMs, daysBefore }, nowMs) {
			return (await queries.run(CLAIM, id, expiresAtMs, daysBefore, nowMs, tenantId)) === 1;
		},
	};
}

function toExpiring(row: DueRow, daysBefore: ExpiryNoticeDays): ExpiringClient {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		name: row.name,
		expiresAtMs: row.expires_at,
		daysBefore,
		owner: {
			name: row.owner_name,
			email: row.owner_email,
			purpose: row.owner_purpose,
			locale: row.owner_locale as Locale,
		},
	};
}
