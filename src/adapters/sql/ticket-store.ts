// Tickets of third-party login in SQL.

import type { TicketStore } from "../../features/third-party/model.ts";
import type { Queries } from "./engine.ts";
import { toUser, USER_COLUMNS, type UserRow } from "./user-store.ts";

interface TicketRow extends UserRow {
	account_id: string;
	ticket_app_id: string | null;
	code_challenge: string;
	ip: string;
	user_agent: string;
	accept_language: string;
	expires_at: number;
}

export function createTicketStore(queries: Queries): TicketStore {
	return {
		async insert(ticket) {
			await queries.run(
				`INSERT INTO third_party_tickets (digest, tenant_id, account_id, app_id, code_challenge, expires_at, ip, user_agent, accept_language)
				 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
				ticket.digest,
				ticket.tenantId,
				ticket.accountId,
				ticket.appId,
				ticket.codeChallenge,
				ticket.expiresAtMs,
				ticket.browser.ip,
				ticket.browser.userAgent,
				ticket.browser.acceptLanguage,
			);
		},
		async find(digest, nowMs) {
			const row = await queries.one<TicketRow>(
				`SELECT ${USER_COLUMNS}, t.account_id, t.app_id AS ticket_app_id, t.code_challenge, t.expires_at,
				   t.ip, t.user_agent, t.accept_language
				 FROM third_party_tickets t
				   JOIN third_party_accounts a ON a.id = t.account_id AND a.tenant_id = t.tenant_id
				   JOIN users u ON u.id = a.user_id AND u.tenant_id = a.tenant_id
				 WHERE t.digest = $1 AND t.expires_at > $2`,
				digest,
				nowMs,
			);
			if (row === undefined) return undefined;
			const ticket = {
				digest,
				tenantId: row.tenant_id,
				accountId: row.account_id,
				appId: row.ticket_app_id,
				codeChallenge: row.code_challenge,
				browser: { ip: row.ip, userAgent: row.user_agent, acceptLanguage: row.accept_language },
				expiresAtMs: row.expires_at,
			};
			return { ticket, user: toUser(row) };
		},
		async consume(digest, nowMs) {
			const sql = "DELETE FROM third_party_tickets WHERE digest = $1 AND expires_at > $2";
			return (await queries.run(sql, digest, nowMs)) === 1;
		},
		purge: (nowMs, limit) =>
			queries.run(
				`DELETE FROM third_party_tickets WHERE digest IN
				 (SELECT digest FROM third_party_tickets WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
				nowMs,
				limit,
			),
	};
}
