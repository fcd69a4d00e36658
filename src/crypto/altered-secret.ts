// Detects the usual ways in which a Secret is altered between its display and the code that signs with it.

import { CREDENTIAL_PREFIX } from "../kernel/credential-prefix.ts";
import { type HmacKey, secretKey } from "./request-signature.ts";

export interface AlteredSecret {
	readonly key: HmacKey;
	/** The predicate of a sentence: "the Secret …". */
	readonly how: string;
}

const PREFIX = CREDENTIAL_PREFIX.apiSecret;
const AT_EITHER_END = "with a leading or trailing space or line break";
const QUOTED = "in quotes";
const DECODED = "decoded from base64url, while the key is its text";

/** The altered forms of a Secret, without the unaltered one; none for a text that is too short for a Secret. */
export function alteredSecrets(key: HmacKey): AlteredSecret[] {
	const secret = key.export().toString("utf8");
	const bare = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
	const altered = [
		...["\n", "\r\n", "\r", " ", "\t"].map((end) => ({ key: secretKey(secret + end), how: AT_EITHER_END })),
		{ key: secretKey(` ${secret}`), how: AT_EITHER_END },
		...['"', "'"].map((quote) => ({ key: secretKey(quote + secret + quote), how: QUOTED })),
	];
	if (bare === secret || bare === "") return altered;
	const decoded = secretKey(Buffer.from(bare, "base64url"));
	return [...altered, { key: secretKey(bare), how: `without its ${PREFIX}` }, { key: decoded, how: DECODED }];
}

/** A sentence that describes the alteration of a Secret; undefined without an alteration or a Secret. */
export function oddSecret(secretPlain: string | undefined): string | undefined {
	if (secretPlain === undefined) return undefined;
	if (secretPlain.trim() !== secretPlain)
		return "has spaces or line breaks around it, which are part of the key";
	if (/^["'].*["']$/s.test(secretPlain)) return "has quotes around it, which are part of the key";
	if (!secretPlain.startsWith(PREFIX)) return `does not begin with ${PREFIX}: the key is the Secret as shown`;
	return undefined;
}
