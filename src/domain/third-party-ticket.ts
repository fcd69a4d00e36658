// Tickets that an application exchanges for tokens: after a third-party sign-in, or for a user who is signed in at the
// service's own page.

import type { Origin } from "../kernel/origin.ts";
import type { User } from "./user.ts";

/** Lifetime, from the callback to the exchange. */
export const TICKET_SECONDS = 60;

export interface Ticket {
	/** `tokenDigest` of the ticket. */
	readonly digest: string;
	readonly tenantId: string;
	/** The authenticated linked account; unlinking it invalidates the ticket. */
	readonly accountId: string;
	readonly appId: string | null;
	readonly codeChallenge: string;
	/** The browser that returned: the session gets its IP address, not that of the application's server. */
	readonly browser: Pick<Origin, "ip" | "userAgent" | "acceptLanguage">;
	/** Digest of the secret of the browser that alone may exchange it; null: any holder of the ticket. */
	readonly browserDigest: string | null;
	readonly expiresAtMs: number;
}

/** The maximum length of the `state` that an application gets back. */
export const STATE_MAX = 1_024;

/** Valid for `TICKET_SECONDS`, at most as long as its session. */
export interface SessionTicket
	extends Pick<Ticket, "digest" | "tenantId" | "codeChallenge" | "browser" | "expiresAtMs"> {
	/** The user's own session, which issued it. */
	readonly sessionId: string;
	readonly appId: string;
}

/**
 * `find` and `consume` ignore tickets of an application that has an OAuth client which signs users in. `Found` is what
 * `find` returns.
 */
interface StoreOf<T, Found> {
	insert(ticket: T): Promise<void>;
	/** Searches all tenants: the ticket is unguessable. */
	find(digest: string, nowMs: number): Promise<Found | undefined>;
	/** @returns true for exactly one of several concurrent callers. */
	consume(digest: string, nowMs: number): Promise<boolean>;
	/** Deletes at most `limit` expired tickets. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** `find` also returns the user of the linked account. */
export type TicketStore = StoreOf<Ticket, { readonly ticket: Ticket; readonly user: User }>;
export type SessionTicketStore = StoreOf<SessionTicket, SessionTicket>;
