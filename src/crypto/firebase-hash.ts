// Converts the password hashes of Firebase so that the signer key of the project is not stored.

import { formatImportedHash } from "./imported-hash.ts";
import { HashFormatError } from "./imported-hash-limits.ts";

/** The hash parameters of a Firebase project. */
export interface FirebaseProject {
	readonly signerKey: Buffer;
	readonly saltSeparator: Buffer;
	/** The block size `r` of scrypt. */
	readonly rounds: number;
	/** log2 of `N`. */
	readonly memCost: number;
}

/**
 * Firebase encrypts the signer key with AES-256-CTR under a key that scrypt derives from the password. The ciphertext
 * XOR the signer key is the key stream, which the password alone reproduces: that is stored, as `firebase-scrypt`.
 *
 * @throws HashFormatError
 */
export function convertFirebaseHash(
	{ hash, salt }: { readonly hash: Buffer; readonly salt: Buffer },
	{ signerKey, saltSeparator, rounds, memCost }: FirebaseProject,
): string {
	if (hash.length !== signerKey.length)
		throw new HashFormatError(`must have as many bytes as the signer key (${signerKey.length})`);
	return formatImportedHash({
		kind: "firebase-scrypt",
		logN: memCost,
		blockSize: rounds,
		lanes: 1,
		salt: Buffer.concat([salt, saltSeparator]),
		hash: Buffer.from(hash.map((byte, index) => byte ^ (signerKey[index] as number))),
	});
}
