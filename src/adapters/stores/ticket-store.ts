// Tickets in SQL: of sign-ins with identity providers, and of users who are already signed in.

import type { SessionTicketStore, Ticket, TicketStore } from "../../domain/third-party-ticket.ts";
import type { Queries } from "../sql/queries.ts";
import { users } from "../sql/tables/account-tables.ts";
import { sessionTickets, thirdPartyTickets } from "../sql/tables/third-party-tables.ts";

/** No ticket works once its application has an OAuth client that signs users in. */
const LIVE = `digest = $1 AND expires_at > $2
	AND NOT EXISTS (SELECT 1 FROM oauth_clients c WHERE c.application_id = app_id AND c.type <> 'service')`;
const ticket = thirdPartyTickets.without("digest", "tenantId", "appId").as("t");
const FIND = `SELECT ${users.as("u").columns}, t.app_id AS "ticketAppId",
	${ticket.columns}
	FROM third_party_tickets t
	JOIN third_party_accounts a ON a.id = t.account_id AND a.tenant_id = t.tenant_id
	JOIN users u ON u.id = a.user_id AND u.tenant_id = a.tenant_id
	WHERE t.digest IN (SELECT digest FROM third_party_tickets WHERE ${LIVE})`;

export function createTicketStore(queries: Queries): TicketStore {
	return {
		insert: ({ browser, ...ticket }) => thirdPartyTickets.insert(queries, { ...ticket, ...browser }),
		async find(digest, nowMs) {
			const row = await queries.one<{ ticketAppId: string | null }>(FIND, digest, nowMs);
			if (row === undefined) return undefined;
			const user = users.read(row);
			const { tenantId } = user;
			return { ticket: { ...withBrowser(ticket.read(row)), digest, tenantId, appId: row.ticketAppId }, user };
		},
		consume: (digest, nowMs) => thirdPartyTickets.deleteOne(queries, LIVE, digest, nowMs),
		purge: (nowMs, limit) =>
			thirdPartyTickets.purge(queries, "expires_at <= $1 ORDER BY expires_at", nowMs, limit),
	};
}

export function createSessionTicketStore(queries: Queries): SessionTicketStore {
	return {
		insert: ({ browser, ...ticket }) => sessionTickets.insert(queries, { ...ticket, ...browser }),
		async find(digest, nowMs) {
			const row = await sessionTickets.find(queries, LIVE, digest, nowMs);
			return row && withBrowser(row);
		},
		consume: (digest, nowMs) => sessionTickets.deleteOne(queries, LIVE, digest, nowMs),
		purge: (nowMs, limit) =>
			sessionTickets.purge(queries, "expires_at <= $1 ORDER BY expires_at", nowMs, limit),
	};
}

function withBrowser<Row extends Ticket["browser"]>({ ip, userAgent, acceptLanguage, ...ticket }: Row) {
	return { ...ticket, browser: { ip, userAgent, acceptLanguage } };
}
