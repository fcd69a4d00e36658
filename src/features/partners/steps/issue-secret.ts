// Issues the API keys and Secrets of API clients.

import { randomToken } from "../../../crypto/random.ts";
import type { SecretBox } from "../../../crypto/secret-box.ts";
import { secretContext } from "../../../domain/client-secret.ts";

const API_KEY_CHARACTERS = 24;
const HINT_CHARACTERS = 4;

/** A new Secret: the text to show once, and what is stored of it. */
export interface IssuedSecret {
	/** `sk_` and 43 base64url characters, 256 bits. */
	readonly secretPlain: string;
	/** Bound to the client's id. */
	readonly secretSealed: string;
	/** The last four characters. */
	readonly secretHint: string;
}

/** A new `api_key`: `ak_` and 24 of `[A-Za-z0-9_-]`, 144 bits. It identifies a client and proves nothing. */
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
