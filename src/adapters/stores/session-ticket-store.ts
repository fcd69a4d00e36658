// Tickets of people who are signed in, in SQL.

import type { SessionTicketStore } from "../../domain/session-ticket.ts";
import type { Queries } from "../sql/engine.ts";
import { sessionTickets } from "../sql/tables/third-party-tables.ts";

const LIVE = "digest = $1 AND expires_at > $2";

export function createSessionTicketStore(queries: Queries): SessionTicketStore {
	return {
		insert: ({ browser, ...ticket }) => sessionTickets.insert(queries, { ...ticket, ...browser }),
		async find(digest, nowMs) {
			const row = await sessionTickets.find(queries, LIVE, digest, nowMs);
			if (row === undefined) return undefined;
			const { ip, userAgent, acceptLanguage, ...ticket } = row;
			return { ...ticket, browser: { ip, userAgent, acceptLanguage } };
		},
		consume: (digest, nowMs) => sessionTickets.deleteOne(queries, LIVE, digest, nowMs),
		purge: (nowMs, limit) =>
			sessionTickets.purge(queries, "expires_at <= $1 ORDER BY expires_at", nowMs, limit),
	};
}
