// The ticket that an application exchanges for tokens of a user who is signed in at the service's own page.

import type { Ticket } from "./third-party-ticket.ts";

/** The maximum length of the `state` that an application gets back. */
export const STATE_MAX = 1_024;

/** Valid for `TICKET_SECONDS`, at most as long as its session. */
export interface SessionTicket
	extends Pick<Ticket, "digest" | "tenantId" | "codeChallenge" | "browser" | "expiresAtMs"> {
	/** The user's own session, which issued it. */
	readonly sessionId: string;
	readonly appId: string;
}

export interface SessionTicketStore {
	insert(ticket: SessionTicket): Promise<void>;
	/** Searches all tenants: the ticket is unguessable. */
	find(digest: string, nowMs: number): Promise<SessionTicket | undefined>;
	/** @returns true for one of concurrent callers. */
	consume(digest: string, nowMs: number): Promise<boolean>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
