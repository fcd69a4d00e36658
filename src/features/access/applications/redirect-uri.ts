// Redirect URIs of an application: where sign-in may redirect to, compared as exact text.

import { invalidEntries } from "../../../kernel/error.ts";

/** Loopback hosts (RFC 8252, section 7.3): the request does not leave the machine, so it needs no TLS. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Visible ASCII without `\`: parsers drop or replace other characters, so two programs could read different URIs. */
const PLAIN_URL = /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/;
const AUTHORITY = /^https?:\/\/([^/?]*)/;

/**
 * Checks each entry: absolute https (http on a loopback host), no fragment, no credentials, no `*` in the host,
 * no duplicates. Entries are returned unchanged, because they are compared character by character.
 *
 * @throws AppError `request.invalid`, with every bad entry as `<field>.<index>`.
 */
export function parseRedirectUris(texts: readonly string[], field = "redirect_uris"): readonly string[] {
	const problems: { index: number; message: string }[] = [];
	for (const [index, text] of texts.entries()) {
		const message = texts.indexOf(text) < index ? "is given twice" : problemOf(text);
		if (message !== undefined) problems.push({ index, message });
	}
	if (problems.length > 0) throw invalidEntries(field, problems);
	return texts;
}

function problemOf(text: string): string | undefined {
	const url = PLAIN_URL.test(text) ? URL.parse(text) : null;
	if (url === null) return "must be an absolute https URL in ASCII, e.g. https://app.example.com/callback";
	if (text.includes("#")) return "must not have a fragment";
	if (AUTHORITY.exec(text)?.[1]?.includes("@")) return "must not hold credentials";
	if (url.hostname.includes("*")) return "must name one host: it is compared exactly";
	if (url.protocol === "http:" && !LOOPBACK.has(url.hostname))
		return "must be https (http only for localhost, 127.0.0.1 and [::1])";
	return undefined;
}
