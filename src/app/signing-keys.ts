// The keys that sign access tokens and checkpoints, opened.

import type { SecretBox } from "../crypto/secret-box.ts";
import { SecretBoxError } from "../crypto/secret-box.ts";
import type { PrivateJwk, SigningKey } from "../crypto/signing-key.ts";
import { type SigningKeyStore, signingKeyContext } from "../features/auth/model.ts";
import { StartError } from "../kernel/start-error.ts";

/**
 * Newest first. The public half is taken from the sealed private one: whoever can write rows but has no master key
 * brings in no key of their own.
 *
 * @throws StartError when the master key opens one of them not.
 */
export async function openSigningKeys(
	store: Pick<SigningKeyStore, "listAll">,
	secretBox: SecretBox,
): Promise<SigningKey[]> {
	return (await store.listAll()).map(({ kid, privateSealed }) => {
		const text = openOrRefuse(secretBox, privateSealed, signingKeyContext(kid));
		const privateJwk = JSON.parse(text) as PrivateJwk;
		const { kty, crv, x, y } = privateJwk;
		return { kid, privateJwk, publicJwk: { kty, crv, x, y } };
	});
}

function openOrRefuse(secretBox: SecretBox, sealed: string, context: string): string {
	try {
		return secretBox.open(sealed, context);
	} catch (cause) {
		if (!(cause instanceof SecretBoxError)) throw cause;
		throw new StartError(`this master key is not the database's: ${cause.message}`, { cause });
	}
}
