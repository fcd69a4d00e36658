// The ticket that an application exchanges for tokens after a third-party sign-in.

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

export interface TicketStore {
	insert(ticket: Ticket): Promise<void>;
	/** Searches all tenants: the ticket is unguessable. Returns the user of the account too. */
	find(digest: string, nowMs: number): Promise<{ readonly ticket: Ticket; readonly user: User } | undefined>;
	/** @returns true for one of concurrent callers. */
	consume(digest: string, nowMs: number): Promise<boolean>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
