// Verifies a password against an imported hash, on a libuv thread.

import { argon2, createCipheriv, pbkdf2, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { ImportedHash } from "./imported-hash-limits.ts";

const deriveArgon2 = promisify(argon2);
const deriveScrypt = promisify<Buffer, Buffer, number, object, Buffer>(scrypt);
const derivePbkdf2 = promisify(pbkdf2);

const AES_256_KEY_BYTES = 32;
const ZERO_IV = Buffer.alloc(16);
/** OpenSSL counts small buffers against `maxmem` in addition to the memory of the parameters. */
const SCRYPT_SPARE_BYTES = 2 * 1024 * 1024;

/** Constant-time comparison. Run it in the hash queue. */
export async function verifyImportedHash(passwordPlain: string, imported: ImportedHash): Promise<boolean> {
	return timingSafeEqual(await derive(Buffer.from(passwordPlain), imported), imported.hash);
}

async function derive(password: Buffer, imported: ImportedHash): Promise<Buffer> {
	const { salt, hash } = imported;
	switch (imported.kind) {
		case "argon2id":
			return await deriveArgon2("argon2id", {
				message: password,
				nonce: salt,
				parallelism: imported.lanes,
				memory: imported.memoryKib,
				passes: imported.passes,
				tagLength: hash.length,
			});
		case "scrypt":
			return await deriveScrypt(password, salt, hash.length, scryptOptions(imported));
		case "firebase-scrypt": {
			const key = await deriveScrypt(password, salt, AES_256_KEY_BYTES, scryptOptions(imported));
			return createCipheriv("aes-256-ctr", key, ZERO_IV).update(Buffer.alloc(hash.length));
		}
		case "pbkdf2-sha256":
			return await derivePbkdf2(password, salt, imported.iterations, hash.length, "sha256");
		case "pbkdf2-sha512":
			return await derivePbkdf2(password, salt, imported.iterations, hash.length, "sha512");
	}
}

function scryptOptions({ logN, blockSize, lanes }: Extract<ImportedHash, { readonly logN: number }>) {
	const N = 2 ** logN;
	const maxmem = 128 * blockSize * (N + lanes) + SCRYPT_SPARE_BYTES;
	return { N, r: blockSize, p: lanes, maxmem };
}
