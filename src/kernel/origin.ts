// Where a request came from, for audit rows, sessions, and mails.

/** The client IP address and request id are `""` for actions of the service itself. */
export interface Origin {
	/** Canonical text of the client IP address; behind trusted proxies, the one they report. */
	readonly ip: string;
	readonly requestId: string;
	/** The `User-Agent` header, at most 512 characters. */
	readonly userAgent: string;
	/** The raw `Accept-Language` header, for the language of mails. */
	readonly acceptLanguage: string;
}

/**
 * The actor as in audit rows: `user:<id>`, `api_client:<id>`, `key:<id>` (an admin key), `cli:<operating-system user>`,
 * `set-up:<id>` (the holder of a set-up link),
 * `directory:<id of the identity provider>`, `anonymous`, or `system`.
 */
export type Actor =
	| `user:${string}`
	| `api_client:${string}`
	| `key:${string}`
	| `cli:${string}`
	| `directory:${string}`
	| `set-up:${string}`
	| "anonymous"
	| "system";

export const SYSTEM_ORIGIN: Origin = { ip: "", requestId: "", userAgent: "", acceptLanguage: "" };
