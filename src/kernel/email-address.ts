// Parses an email address: one ASCII address, compared in lower case.

const LENGTH_MAX = 254;
const EMAIL_ADDRESS =
	/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/**
 * The canonical form, trimmed and in lower case, of one address with one `@` and at most 254 characters, 64 of them
 * before the `@` (RFC 5321: a dot-atom, no quoted text). The domain needs no dot. Undefined for anything else.
 */
export function parseEmailAddress(text: string): string | undefined {
	const address = text.trim();
	if (address.length > LENGTH_MAX || address.indexOf("@") > 64) return undefined;
	// Test before converting to lower case: the Kelvin sign would become an ASCII k.
	return EMAIL_ADDRESS.test(address) ? address.toLowerCase() : undefined;
}
