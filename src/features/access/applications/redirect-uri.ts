// Redirect URIs of an application: where sign-in may redirect to, compared as exact text.

import { type InvalidEntry, invalidEntries } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";

/** Loopback hosts (RFC 8252, section 7.3): the request does not leave the machine, so it needs no TLS. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Visible ASCII without `\`. Parsers drop or replace other characters, so two of them could read different URIs. */
const PLAIN_URL = /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/;
const AUTHORITY = /^https?:\/\/([^/?]*)/;

/**
 * Checks each entry: absolute https (http on a loopback host), no fragment, no credentials, no `*` in the host,
 * no duplicates. Entries are returned unchanged, because they are compared character by character.
 *
 * @throws AppError `request.invalid`, with every bad entry as `<field>.<index>`.
 */
export function parseRedirectUris(texts: readonly string[], field = "redirect_uris"): readonly string[] {
	const problems: InvalidEntry[] = [];
	for (const [index, text] of texts.entries()) {
		const reason = texts.indexOf(text) < index ? "duplicate" : problemOf(text);
		if (reason !== undefined) problems.push({ index, problem: problem(reason) });
	}
	if (problems.length > 0) throw invalidEntries(field, problems);
	return texts;
}

function problemOf(text: string) {
	const url = PLAIN_URL.test(text) ? URL.parse(text) : null;
	if (url === null) return "https_url";
	if (text.includes("#")) return "url_fragment";
	if (AUTHORITY.exec(text)?.[1]?.includes("@")) return "url_credentials";
	if (url.hostname.includes("*")) return "url_wildcard_host";
	if (url.protocol === "http:" && !LOOPBACK.has(url.hostname)) return "https_or_loopback";
	return undefined;
}
