// The secret that tells one browser from another while somebody is away at a provider.

import { equalTexts, tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { ATTEMPT_SECONDS } from "./model.ts";

/** `__Host-`: set by this host alone, over TLS alone, so that no neighbour can plant it (RFC 6265bis, 4.1.3.2). */
const COOKIE = "__Host-latchkey-browser";
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** The browser's secret out of its `Cookie` headers, if it has one. */
export function findBrowserSecret(cookieHeaders: readonly string[]): string | undefined {
	for (const pair of cookieHeaders.join(";").split(";")) {
		const [name, value = ""] = pair.trim().split("=");
		if (name === COOKIE && SECRET.test(value)) return value;
	}
	return undefined;
}

/** The secret this browser has, or one for it; several sign-ins of one browser share it. */
export function browserSecretOf(cookieHeaders: readonly string[]): string {
	return findBrowserSecret(cookieHeaders) ?? randomToken();
}

/**
 * The `Set-Cookie` value. `Lax`: providers send the browser back by a navigation, which carries it; a form or a frame of
 * another site does not.
 */
export function browserCookie(secret: string): string {
	return `${COOKIE}=${secret}; Path=/; Max-Age=${ATTEMPT_SECONDS}; Secure; HttpOnly; SameSite=Lax`;
}

/** What the page that asks before linking puts into its link: nobody who lacks the cookie can make it up. */
export function confirmationOf(browserSecret: string, attemptToken: string): string {
	return tokenDigest(`link ${browserSecret} ${attemptToken}`);
}

export function isConfirmed(given: string, browserSecret: string, attemptToken: string): boolean {
	return equalTexts(given, confirmationOf(browserSecret, attemptToken));
}
