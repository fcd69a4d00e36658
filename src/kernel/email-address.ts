// Parses an email address: one address with an ASCII local part, compared in lower case.

import { domainToASCII } from "node:url";

const LENGTH_MAX = 254;
const LOCAL_PART_MAX = 64;
const EMAIL_ADDRESS =
	/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
/** As the URL Standard recognizes an IPv4 address, which mail software would write in another form. */
const ENDS_IN_NUMBER = /[.@](?:[0-9]+|0x[0-9a-f]*)$/i;
const ASCII = /^[\0-\x7f]*$/;

/**
 * The canonical form, trimmed and in lower case, of one address with one `@` and at most 254 characters, 64 of them
 * before the `@` (RFC 5321: a dot-atom, no quoted text). A domain in Unicode becomes its ASCII form (UTS 46). The domain
 * needs no dot, and its last label is not a number (RFC 3696, section 2). Undefined for anything else.
 */
export function parseEmailAddress(text: string): string | undefined {
	const address = withAsciiDomain(text.trim());
	if (address.length > LENGTH_MAX || address.indexOf("@") > LOCAL_PART_MAX) return undefined;
	if (ENDS_IN_NUMBER.test(address)) return undefined;
	// Test before converting to lower case: the Kelvin sign would become an ASCII k.
	return EMAIL_ADDRESS.test(address) ? address.toLowerCase() : undefined;
}

/** An email address in its canonical form; any other text in lower case. For names that are compared, not stored. */
export function canonicalLogin(text: string): string {
	return parseEmailAddress(text) ?? text.toLowerCase();
}

function withAsciiDomain(address: string): string {
	const at = address.lastIndexOf("@");
	const domain = address.slice(at + 1);
	if (at < 0 || ASCII.test(domain) || domain.length > LENGTH_MAX) return address;
	return `${address.slice(0, at)}@${domainToASCII(domain)}`;
}

/** The part behind the `@` of an address in canonical form. */
export function domainOf(address: string): string {
	return address.slice(address.lastIndexOf("@") + 1);
}

/** The canonical form of a domain with a dot, as it is in an email address. Undefined for anything else. */
export function parseDomain(text: string): string | undefined {
	const address = parseEmailAddress(`a@${text.trim()}`);
	const domain = address === undefined ? "" : domainOf(address);
	return domain.includes(".") ? domain : undefined;
}
