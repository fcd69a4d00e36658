// Reads the browser session of a request. Refuses sessions from other sites, from clients without an origin, and over
// plain HTTP.

import { AppError, invalidField } from "../../kernel/error.ts";
import { BrowserSession, SESSION_COOKIE, type SessionUse } from "./browser-session.ts";
import type { Incoming } from "./incoming.ts";
import { requireHttps } from "./transport.ts";

const HEADER = "X-Session";
/** Longer than any refresh token: a longer value is an unknown token. */
const VALUE_MAX = 512;

/**
 * Reads the header and the cookie of a request to an endpoint that uses sessions. Checks `X-Session` immediately. Checks
 * a cookie without that header only when its token is taken, because the request may authenticate in another way.
 *
 * @param ownOrigin the origin of the service; if undefined, the origin that the request over TLS addresses.
 * @throws AppError `request.invalid`, `origin.not_allowed`, `transport.https_required`.
 */
export function readBrowserSession(
	request: Incoming,
	use: SessionUse,
	ownOrigin: string | undefined,
): BrowserSession | undefined {
	const modes = request.headerValues(HEADER.toLowerCase());
	if (modes.length > 1 || (modes.length === 1 && modes[0] !== "cookie"))
		throw invalidField(HEADER, "session_header");
	const isRequested = modes.length > 0 || use === "opens in cookie";
	const token = use.startsWith("opens") ? undefined : cookieValue(request, SESSION_COOKIE);
	if (!isRequested && token === undefined) return undefined;
	const refusal = refusalOf(request, ownOrigin);
	if (isRequested && refusal !== undefined) throw refusal;
	return new BrowserSession(token, isRequested, refusal);
}

/**
 * Only pages of the service itself may use the cookie. A page of another site, a sandboxed frame (`null`) and a client
 * that sends no origin are refused.
 */
function refusalOf(request: Incoming, ownOrigin: string | undefined): AppError | undefined {
	try {
		requireHttps(request, "a session in a cookie requires HTTPS");
	} catch (error) {
		if (error instanceof AppError) return error;
		throw error;
	}
	const origins = request.headerValues("origin");
	const [host = ""] = request.headerValues("host");
	const own = ownOrigin ?? `https://${host.toLowerCase().replace(/:443$/, "")}`;
	if (origins.length === 1 && origins[0] === own) return undefined;
	return new AppError(
		"origin.not_allowed",
		"only pages of this service may use the session cookie: Origin must be sent once and match this service",
	);
}

/** An empty or repeated cookie counts as absent. */
export function cookieValue(request: Pick<Incoming, "headerValues">, name: string): string | undefined {
	const values = request
		.headerValues("cookie")
		.flatMap((header) => header.split(";"))
		.map((pair) => pair.trim())
		.filter((pair) => pair.startsWith(`${name}=`))
		.map((pair) => pair.slice(name.length + 1, name.length + 1 + VALUE_MAX));
	return values.length === 1 && values[0] !== "" ? values[0] : undefined;
}
