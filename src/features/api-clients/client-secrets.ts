// Keys and Secrets of API clients: how they are made, sealed, and opened again.

import { randomToken } from "../../crypto/random.ts";
import type { SecretBox } from "../../crypto/secret-box.ts";
import { type ApiClient, type SealedSecrets, secretContext } from "./model.ts";

const API_KEY_CHARACTERS = 24;
const HINT_CHARACTERS = 4;

/** A new Secret: the text to show once, and what is stored of it. */
export interface IssuedSecret {
	/** `sk_` and 43 base64url characters, 256 bit. */
	readonly secretPlain: string;
	/** Bound to the client's id. */
	readonly secretSealed: string;
	/** The last four characters. */
	readonly secretHint: string;
}

/** A new `api_key`: `ak_` and 24 of `[A-Za-z0-9_-]`, 144 bit. It names a client and proves nothing. */
export function issueApiKey(): string {
	return `ak_${randomToken().slice(0, API_KEY_CHARACTERS)}`;
}

export function issueSecret(secretBox: SecretBox, clientId: string): IssuedSecret {
	const secretPlain = `sk_${randomToken()}`;
	return {
		secretPlain,
		secretSealed: secretBox.seal(secretPlain, secretContext(clientId)),
		secretHint: secretPlain.slice(-HINT_CHARACTERS),
	};
}

/**
 * The sealed Secrets that count at this moment, the current one first: none of an unclaimed client, two during an
 * overlap.
 */
export function liveSecrets(
	client: SealedSecrets & Pick<ApiClient, "previousSecretExpiresAtMs">,
	nowMs: number,
): string[] {
	const { secretSealed, previousSecretSealed, previousSecretExpiresAtMs } = client;
	if (secretSealed === null) return [];
	const overlaps = previousSecretExpiresAtMs !== null && nowMs < previousSecretExpiresAtMs;
	return overlaps && previousSecretSealed !== null ? [secretSealed, previousSecretSealed] : [secretSealed];
}
