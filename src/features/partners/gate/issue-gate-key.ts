// Issues the keys with which a proxy authenticates to the gate.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import type { NewGateKey } from "../../../domain/gate.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";

const HINT_CHARACTERS = 4;

/** `keyPlain`: the prefix and 43 base64url characters, 256 bits, to show once. Without a previous key. */
export function issueGateKey(): NewGateKey & { readonly keyPlain: string } {
	const keyPlain = `${CREDENTIAL_PREFIX.gateKey}${randomToken()}`;
	return {
		keyPlain,
		keyDigest: tokenDigest(keyPlain),
		keyHint: keyPlain.slice(-HINT_CHARACTERS),
		previousKeyDigest: null,
		previousKeyExpiresAtMs: null,
	};
}
