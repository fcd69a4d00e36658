// Redirect URIs: where the service may send a browser with a code, compared as exact text.

import type { FieldReason } from "../kernel/field-reason.ts";

/** Loopback hosts (RFC 8252, section 7.3): the request does not leave the machine, so it needs no TLS. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Visible ASCII without `\`. Parsers drop or replace other characters, so two of them could read different URIs. */
const PLAIN_URL = /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/;
const AUTHORITY = /^https?:\/\/([^/?]*)/;
/**
 * RFC 8252, section 7.1: a domain name in reverse order, which tells these schemes from those of browsers, then one slash
 * or a host.
 */
const PRIVATE_USE =
	/^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/(?!\/(?:[/?]|$|[^/?]*@))[\x21\x22\x24-\x5b\x5d-\x7e]*$/;
/** A URI with a scheme other than http and https, in any case. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:/i;

/** Why a web URI is refused: it must be https (http on a loopback host), without fragment, credentials, or `*` in the host. */
export function webRedirectProblem(text: string) {
	const url = PLAIN_URL.test(text) ? URL.parse(text) : null;
	if (url === null) return "https_url";
	if (text.includes("#")) return "url_fragment";
	if (AUTHORITY.exec(text)?.[1]?.includes("@")) return "url_credentials";
	if (url.hostname.includes("*")) return "url_wildcard_host";
	if (url.protocol === "http:" && !LOOPBACK.has(url.hostname)) return "https_or_loopback";
	return undefined satisfies FieldReason | undefined;
}

/** Whether the scheme belongs to an app on a device, which opens the URI: only clients of type `native` have these. */
export function hasPrivateScheme(text: string): boolean {
	return PRIVATE_USE.test(text);
}

/** Like `webRedirectProblem`, and accepts private-use schemes such as `com.example.app:/callback`. */
export function redirectProblem(text: string) {
	if (hasPrivateScheme(text)) return undefined;
	return OTHER_SCHEME.test(text) ? "redirect_scheme" : webRedirectProblem(text);
}

/** Whether the URI leads to a program on the user's own device, which may be any program. */
export function isOnDevice(redirectUri: string): boolean {
	const url = URL.parse(redirectUri);
	return url !== null && (url.protocol !== "https:" || LOOPBACK.has(url.hostname));
}
