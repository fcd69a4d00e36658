// Where a request came from, for audit rows, sessions, and mails.

import { rateLimitKey } from "./ip.ts";

/** The client IP address and request id are `""` for actions of the service itself. */
export interface Origin {
	/** Canonical text of the client IP address; behind trusted proxies, the one they report. */
	readonly ip: string;
	readonly requestId: string;
	/** The `User-Agent` header, at most 512 characters. */
	readonly userAgent: string;
	/** The raw `Accept-Language` header, for the language of mails. */
	readonly acceptLanguage: string;
	/** The API client that reported `ip`, if an application's server sent the request. */
	readonly relayedBy?: string;
}

/**
 * The key of limits per IP address. An address that a client reports counts separately for that client: reporting an
 * address must not use up the limit of its owner.
 */
export function limitAddress({ ip, relayedBy }: Origin): string {
	return relayedBy === undefined ? ip : `relay:${relayedBy}:${rateLimitKey(ip)}`;
}

/**
 * The actor as in audit rows: `user:<id>`, `api_client:<id>`, `key:<id>` (an admin key), `cli:<operating-system user>`,
 * `anonymous`, or `system`.
 */
export type Actor =
	| `user:${string}`
	| `api_client:${string}`
	| `key:${string}`
	| `cli:${string}`
	| "anonymous"
	| "system";

export const SYSTEM_ORIGIN: Origin = { ip: "", requestId: "", userAgent: "", acceptLanguage: "" };
