// Recognizes a token of this service in the Authorization of an application that has tokens of its own.

import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";

/** Of keys and Secrets that callers may mistake for a token of the application. */
const PREFIXES = Object.values(CREDENTIAL_PREFIX);
const JWT = /^[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/;

/**
 * The proxy passes such an application its Authorization, which must never contain a credential of this service. Basic is
 * read as well, because Git and others send a token as the password.
 */
export function holdsTokenOf(issuer: string, authorization: string): boolean {
	const parts = authorization.trim().split(/\s+/);
	const [scheme = "", value = ""] = parts;
	const texts = scheme.toLowerCase() === "basic" ? Buffer.from(value, "base64").toString().split(":") : parts;
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
