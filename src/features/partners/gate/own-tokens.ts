// Recognizes a token of this service in the Authorization of an application that has tokens of its own.

import { ADMIN_KEY_PREFIX } from "../../../domain/admin-key.ts";
import { GATE_KEY_PREFIX } from "../../../domain/gate.ts";
import { OAUTH_SECRET_PREFIX } from "../../../domain/oauth-client.ts";

/** Of keys and Secrets that callers may mistake for a token of the application. */
const PREFIXES = [ADMIN_KEY_PREFIX, GATE_KEY_PREFIX, OAUTH_SECRET_PREFIX, "ak_", "sk_"];
const JWT = /^[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/;

/**
 * The proxy passes such an application its Authorization, which must never contain a credential of this service. Basic is
 * read as well, because Git and others send a token as the password.
 */
export function holdsTokenOf(issuer: string, authorization: string): boolean {
	const [scheme = "", ...rest] = authorization.trim().split(/ +/);
	const value = rest.join(" ");
	const texts =
		scheme.toLowerCase() === "basic" ? Buffer.from(value, "base64").toString().split(":") : [scheme, value];
	return texts.some(
		(text) => PREFIXES.some((prefix) => text.startsWith(prefix)) || issuerOf(text) === issuer,
	);
}

function issuerOf(text: string): unknown {
	const [, payload] = JWT.exec(text) ?? [];
	if (payload === undefined) return undefined;
	try {
		return JSON.parse(Buffer.from(payload, "base64url").toString())?.iss;
	} catch {
		return undefined;
	}
}
