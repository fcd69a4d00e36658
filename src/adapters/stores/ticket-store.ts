// Tickets of third-party login in SQL.

import type { TicketStore } from "../../domain/third-party-ticket.ts";
import type { Queries } from "../sql/engine.ts";
import { users } from "../sql/tables/account-tables.ts";
import { thirdPartyTickets } from "../sql/tables/third-party-tables.ts";

/** The columns of the ticket that the user has not, and its application. */
interface TicketRow {
	readonly accountId: string;
	readonly ticketAppId: string | null;
	readonly codeChallenge: string;
	readonly ip: string;
	readonly userAgent: string;
	readonly acceptLanguage: string;
	readonly browserDigest: string | null;
	readonly expiresAtMs: number;
}

const FIND = `SELECT ${users.as("u").columns}, t.app_id AS "ticketAppId",
	${thirdPartyTickets.without("digest", "tenantId", "appId").as("t").columns}
	FROM third_party_tickets t
	JOIN third_party_accounts a ON a.id = t.account_id AND a.tenant_id = t.tenant_id
	JOIN users u ON u.id = a.user_id AND u.tenant_id = a.tenant_id
	WHERE t.digest = $1 AND t.expires_at > $2`;
const LIVE = "digest = $1 AND expires_at > $2";

export function createTicketStore(queries: Queries): TicketStore {
	return {
		insert: ({ browser, ...ticket }) => thirdPartyTickets.insert(queries, { ...ticket, ...browser }),
		async find(digest, nowMs) {
			const row = await queries.one<TicketRow>(FIND, digest, nowMs);
			if (row === undefined) return undefined;
			const user = users.read(row);
			const { accountId, ticketAppId: appId, codeChallenge, browserDigest, expiresAtMs } = row;
			const { ip, userAgent, acceptLanguage } = row;
			const browser = { ip, userAgent, acceptLanguage };
			const { tenantId } = user;
			const ticket = {
				digest,
				tenantId,
				accountId,
				appId,
				codeChallenge,
				browser,
				browserDigest,
				expiresAtMs,
			};
			return { ticket, user };
		},
		consume: (digest, nowMs) => thirdPartyTickets.deleteOne(queries, LIVE, digest, nowMs),
		purge: (nowMs, limit) =>
			thirdPartyTickets.purge(queries, "expires_at <= $1 ORDER BY expires_at", nowMs, limit),
	};
}
