// A browser's session: its refresh token is in a cookie that scripts cannot read.

import type { AppError } from "../../kernel/error.ts";
import { choice } from "../describe/schema.ts";

/** `__Host-`: only this host can set it, over TLS and for all paths (RFC 6265bis, section 4.1.3.2). */
export const SESSION_COOKIE = "__Host-latchkey";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
/** `Set-Cookie` value that removes the session from the browser. */
export const CLEARED_SESSION = `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;

/**
 * What an endpoint does with a session. `opens`: the response contains tokens. `opens in cookie`: like `opens`, always as
 * with `X-Session: cookie`. `renews`: like `opens`, and the endpoint reads the token from the cookie. `ends`: the endpoint
 * reads the token from the cookie and may revoke the session.
 */
export type SessionUse = "opens" | "opens in cookie" | "renews" | "ends";

/** Request header, for the OpenAPI document. */
export const SESSION_HEADER = {
	"X-Session": {
		isRequired: false,
		schema: choice(["cookie"], {
			description:
				"Sends and receives the refresh token in the cookie `__Host-latchkey` instead of the body. Requires HTTPS and the service's own `Origin`.",
		}),
	},
};

/** Security scheme, for the OpenAPI document. */
export const SESSION_SCHEME = {
	type: "apiKey",
	in: "cookie",
	name: SESSION_COOKIE,
	description:
		"Refresh token of a browser session. Accepted only by refresh and sign-out, over HTTPS, with the service's own `Origin`. See docs/browser-sessions.md.",
} as const;

export class BrowserSession {
	readonly #token: string | undefined;
	readonly #refusal: AppError | undefined;
	/** Whether the response sets the cookie: the request asked for it, or its token was used. */
	#isUsed: boolean;
	#isTaken = false;
	#hasEnded = false;

	constructor(token: string | undefined, isRequested: boolean, refusal: AppError | undefined) {
		this.#token = token;
		this.#isUsed = isRequested;
		this.#refusal = refusal;
	}

	/**
	 * Takes the refresh token from the cookie; the response then sets the cookie. Undefined if the browser sent none.
	 *
	 * @throws AppError `origin.not_allowed`, `transport.https_required` if the request may not use it.
	 */
	takeToken(): string | undefined {
		if (this.#token === undefined) return undefined;
		if (this.#refusal !== undefined) throw this.#refusal;
		this.#isUsed = true;
		this.#isTaken = true;
		return this.#token;
	}

	/** Call after revoking the browser's session, so that the response clears the cookie instead of setting it. */
	end(): void {
		this.#hasEnded = true;
	}

	/** The `Set-Cookie` value of a successful response, if any. */
	cookieOf(body: unknown): string | undefined {
		if (!this.#isUsed) return undefined;
		if (this.#hasEnded) return CLEARED_SESSION;
		const tokens = tokensOf(body);
		if (tokens === undefined) return undefined;
		return `${SESSION_COOKIE}=${tokens.refresh_token}; ${ATTRIBUTES}; Max-Age=${tokens.refresh_expires_in}`;
	}

	/** The body of a successful response, without the refresh token if the cookie contains it. */
	bodyOf(body: unknown): unknown {
		const tokens = this.#isUsed ? tokensOf(body) : undefined;
		if (tokens === undefined) return body;
		const { refresh_token: _, ...others } = tokens;
		return { ...(body as object), data: others };
	}

	/** The `Set-Cookie` value of an error response: a refused token no longer has a session. */
	cookieOfRefusal({ kind }: AppError): string | undefined {
		return this.#isTaken && (kind === "unauthenticated" || kind === "forbidden")
			? CLEARED_SESSION
			: undefined;
	}
}

interface Tokens {
	readonly refresh_token: string;
	readonly refresh_expires_in: number;
}

/** Undefined if a second factor is required, and for an empty body. */
function tokensOf(body: unknown): Tokens | undefined {
	const data = (body as { readonly data?: Partial<Tokens> } | undefined)?.data;
	return data?.refresh_token === undefined ? undefined : (data as Tokens);
}
