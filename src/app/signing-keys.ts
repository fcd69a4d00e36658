// Opens the stored keys that sign access tokens and checkpoints.

import { type SecretBox, SecretBoxError } from "../crypto/secret-box.ts";
import type { PrivateJwk, SigningKey } from "../crypto/signing-key.ts";
import { type SigningKeyStore, type StoredSigningKey, signingKeyContext } from "../domain/signing-key.ts";
import { type SigningKeyTimes, usableKeys } from "../features/identity/auth/signing-key-life.ts";
import { StartError } from "../kernel/start-error.ts";

export type OpenedSigningKey = SigningKey & SigningKeyTimes;

/**
 * Newest first, of every state. The public half is taken from the sealed private one, so that a writer to the database
 * without the master key cannot add a key.
 *
 * @throws StartError when the master key does not open one of them.
 */
export async function openSigningKeys(
	store: Pick<SigningKeyStore, "listAll">,
	secretBox: SecretBox,
): Promise<OpenedSigningKey[]> {
	return (await store.listAll()).map((stored) => openSigningKey(stored, secretBox));
}

/** @throws StartError when the master key does not open it. */
export function openSigningKey(stored: StoredSigningKey, secretBox: SecretBox): OpenedSigningKey {
	const { kid, privateSealed, createdAtMs, signsFromMs, withdrawnAtMs } = stored;
	const privateJwk = JSON.parse(openOrRefuse(secretBox, privateSealed, signingKeyContext(kid))) as PrivateJwk;
	const { kty, crv, x, y } = privateJwk;
	return { kid, privateJwk, publicJwk: { kty, crv, x, y }, createdAtMs, signsFromMs, withdrawnAtMs };
}

/** @throws StartError when there is none. */
export function requireSigner(keys: readonly OpenedSigningKey[], nowMs: number): SigningKey {
	const [signer] = usableKeys(keys, nowMs);
	if (signer === undefined) throw new StartError("there is no key to sign with");
	return signer;
}

/** @throws StartError when the master key does not open it. */
export function openOrRefuse(secretBox: SecretBox, sealed: string, context: string): string {
	try {
		return secretBox.open(sealed, context);
	} catch (cause) {
		if (!(cause instanceof SecretBoxError)) throw cause;
		throw new StartError(`this master key is not the database's: ${cause.message}`, { cause });
	}
}
