// The keys that the database holds sealed: those that sign access tokens and checkpoints, and the root of derived keys.

import { createKeyDerivation, type KeyDerivation } from "../crypto/derived-keys.ts";
import { randomBytes32 } from "../crypto/random.ts";
import { generateRsaKey, type RsaKey, type RsaPrivateJwk } from "../crypto/rsa-key.ts";
import { type SecretBox, SecretBoxError } from "../crypto/secret-box.ts";
import { generateSigningKey, type PrivateJwk, type SigningKey } from "../crypto/signing-key.ts";
import { derivationRootContext } from "../domain/keyed-digests.ts";
import {
	idTokenKeyContext,
	type SigningKeyStore,
	type StoredIdTokenKey,
	type StoredSigningKey,
	signingKeyContext,
} from "../domain/signing-key.ts";
import { type SigningKeyTimes, usableKeys } from "../features/identity/auth/signing-key-life.ts";
import type { Needs } from "../features/platform.ts";
import { StartError } from "../kernel/start-error.ts";

export type OpenedSigningKey = SigningKey & SigningKeyTimes;
export type OpenedIdTokenKey = RsaKey & SigningKeyTimes;

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

/** A new key pair, sealed for the database. */
export async function createSigningKey(
	secretBox: SecretBox,
	createdAtMs: number,
	signsFromMs: number,
): Promise<StoredSigningKey> {
	const { kid, publicJwk, privateJwk } = await generateSigningKey();
	const privateSealed = secretBox.seal(JSON.stringify(privateJwk), signingKeyContext(kid));
	return { kid, publicJwk, privateSealed, createdAtMs, signsFromMs, withdrawnAtMs: null };
}

/** @throws StartError when the master key does not open it. */
export function openIdTokenKey(stored: StoredIdTokenKey, secretBox: SecretBox): OpenedIdTokenKey {
	const { kid, privateSealed, createdAtMs, signsFromMs, withdrawnAtMs } = stored;
	const text = openOrRefuse(secretBox, privateSealed, idTokenKeyContext(kid));
	const privateJwk = JSON.parse(text) as RsaPrivateJwk;
	const { kty, n, e, alg } = privateJwk;
	return { kid, alg, privateJwk, publicJwk: { kty, n, e }, createdAtMs, signsFromMs, withdrawnAtMs };
}

/** A new RSA key pair, sealed for the database. */
export async function createIdTokenKey(
	secretBox: SecretBox,
	{
		alg,
		number,
		createdAtMs,
		signsFromMs,
	}: Pick<StoredIdTokenKey, "alg" | "number" | "createdAtMs" | "signsFromMs">,
): Promise<StoredIdTokenKey> {
	const { kid, publicJwk, privateJwk } = await generateRsaKey(alg);
	const privateSealed = secretBox.seal(JSON.stringify(privateJwk), idTokenKeyContext(kid));
	return { kid, alg, number, publicJwk, privateSealed, createdAtMs, signsFromMs, withdrawnAtMs: null };
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
		throw new StartError(`this master key does not belong to this database: ${cause.message}`, { cause });
	}
}

const ROOT = "sign-in";

/**
 * The root of derived keys: the first node that needs it creates it, and all nodes use the same one.
 *
 * @throws StartError when the master key does not open it.
 */
export async function openDerivation({
	db,
	secretBox,
	clock,
}: Needs<"derivationRoots", "clock" | "secretBox">): Promise<KeyDerivation> {
	const { derivationRoots } = db.stores;
	const context = derivationRootContext(ROOT);
	if ((await derivationRoots.find(ROOT)) === undefined) {
		const sealed = secretBox.seal(randomBytes32().toString("base64"), context);
		await derivationRoots.insertOnce(ROOT, sealed, clock());
	}
	const stored = await derivationRoots.find(ROOT);
	if (stored === undefined) throw new Error("the derivation root was written and cannot be found");
	return createKeyDerivation(Buffer.from(openOrRefuse(secretBox, stored, context), "base64"));
}
