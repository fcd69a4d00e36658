// Where a request came from: what an audit row, a session and a mail want to know of it.

/** The client address and request id are `""` when the service itself acts. */
export interface Origin {
	/** Canonical text of the client address, behind trusted proxies the one they report. */
	readonly ip: string;
	readonly requestId: string;
	/** At most 512 characters of the `User-Agent` header. */
	readonly userAgent: string;
	/** The raw `Accept-Language` header, for the language of mails. */
	readonly acceptLanguage: string;
}

/** Who acts, as audit rows write it: `user:<id>`, `api_client:<id>`, `anonymous` or `system`. */
export type Actor = `user:${string}` | `api_client:${string}` | "anonymous" | "system";

export const SYSTEM_ORIGIN: Origin = { ip: "", requestId: "", userAgent: "", acceptLanguage: "" };
