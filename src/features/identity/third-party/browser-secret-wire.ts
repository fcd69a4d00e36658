// A secret in a cookie binds a third-party sign-in to one browser.

import { randomToken } from "../../../crypto/random.ts";
import { ATTEMPT_SECONDS } from "../../../domain/third-party-attempt.ts";
import { FINISH_SECONDS } from "../../../domain/third-party-sign-in.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { cookieValue } from "../../../http/run/read-browser-session.ts";

/** `__Host-`: only this host can set it, over TLS (RFC 6265bis, 4.1.3.2). */
const COOKIE = "__Host-latchkey-browser";
const SECRET = /^[A-Za-z0-9_-]{43}$/;
/** A sign-in that returns at the last moment can still be finished. */
const KEPT_SECONDS = ATTEMPT_SECONDS + FINISH_SECONDS;

/** Undefined if the request has no valid secret. */
export function findBrowserSecret(request: Incoming): string | undefined {
	const value = cookieValue(request, COOKIE);
	return value !== undefined && SECRET.test(value) ? value : undefined;
}

/** The browser's secret, or a new one. Several sign-ins of a browser share it. */
export function browserSecretOf(request: Incoming): string {
	return findBrowserSecret(request) ?? randomToken();
}

/** The `Set-Cookie` value. `Lax`: sent with the provider's redirect, but not with forms and frames of other sites. */
export function browserCookie(secret: string): string {
	return `${COOKIE}=${secret}; Path=/; Max-Age=${KEPT_SECONDS}; Secure; HttpOnly; SameSite=Lax`;
}
