// Refused requests of OAuth clients: what an administrator sees, and which ones are kept.

import { DAY_MS } from "../kernel/clock.ts";
import type { Page, PageQuery } from "../kernel/page.ts";

/** The newest of each error are kept, so that many of one kind do not hide another. */
export const OAUTH_REFUSALS_OF_CODE = 20;
export const OAUTH_REFUSALS_MAX = 100;
export const OAUTH_REFUSALS_KEPT_MS = 30 * DAY_MS;

export interface OAuthRefusal {
	readonly id: string;
	/** The application. Anyone who knows its id may have sent the request. */
	readonly clientId: string;
	readonly atMs: number;
	/** RFC 6749, such as `invalid_grant`. */
	readonly code: string;
	/** More than the response reveals, at most 500 characters. */
	readonly reason: string;
	readonly method: string;
	/** Without query. */
	readonly path: string;
	readonly ip: string;
	readonly requestId: string;
}

export interface OAuthRefusalStore {
	/** Inside a transaction: stores refusals, and deletes the excess of each client. Ignores deleted clients. */
	add(refusals: readonly OAuthRefusal[]): Promise<void>;
	/** Newest first. */
	list(clientId: string, page: PageQuery): Promise<Page<OAuthRefusal>>;
	/** Deletes refusals older than `OAUTH_REFUSALS_KEPT_MS`, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
