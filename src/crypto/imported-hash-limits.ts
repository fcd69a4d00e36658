// Imported password hashes and their limits: a hash is verified at sign-in, where it uses memory and a thread of the
// hash queue.

const MIB = 1024 * 1024;
const MEMORY_MAX_MIB = 128;
/** Memory times passes: about 0.7 s of one core. */
const ARGON2_WORK_MAX_MIB = 512;
/** Memory times parallelism: about 1 s of one core. */
const SCRYPT_WORK_MAX_MIB = 256;
/** About 1 s of one core with SHA-512. */
const PBKDF2_ITERATIONS_MAX = 2_000_000;
const LANES_MAX = 16;
const SALT_MAX_BYTES = 64;
/** RFC 9106, section 3.1; the library also requires it. */
const ARGON2_SALT_MIN_BYTES = 8;
const HASH_MIN_BYTES = 16;
const HASH_MAX_BYTES = 64;

interface Argon2id {
	readonly kind: "argon2id";
	readonly memoryKib: number;
	readonly passes: number;
	readonly lanes: number;
}

interface Scrypt {
	/** `firebase-scrypt`: `hash` is an AES-256-CTR key stream under the derived key (`firebase-hash.ts`). */
	readonly kind: "scrypt" | "firebase-scrypt";
	readonly logN: number;
	readonly blockSize: number;
	readonly lanes: number;
}

interface Pbkdf2 {
	readonly kind: "pbkdf2-sha256" | "pbkdf2-sha512";
	readonly iterations: number;
}

export type HashParameters = Argon2id | Scrypt | Pbkdf2;

export type ImportedHash = HashParameters & { readonly salt: Buffer; readonly hash: Buffer };

/** A hash that cannot be imported. The message follows the name of a field and contains no part of the hash. */
export class HashFormatError extends Error {
	override name = "HashFormatError";
}

/** @throws HashFormatError with the parameter and its limit. */
export function checkHashLimits(imported: ImportedHash): void {
	const { kind, salt, hash } = imported;
	const saltMin = kind === "argon2id" ? ARGON2_SALT_MIN_BYTES : 1;
	requireRange("a salt", salt.length, saltMin, SALT_MAX_BYTES, "bytes");
	requireRange("a hash", hash.length, HASH_MIN_BYTES, HASH_MAX_BYTES, "bytes");
	switch (kind) {
		case "argon2id": {
			const { memoryKib, passes, lanes } = imported;
			requireRange("p", lanes, 1, LANES_MAX);
			requireRange("m", memoryKib, 8 * lanes, MEMORY_MAX_MIB * 1024, "KiB");
			requireRange("m times t", memoryKib * passes, 1, ARGON2_WORK_MAX_MIB * 1024, "KiB");
			return;
		}
		case "scrypt":
		case "firebase-scrypt": {
			const { logN, blockSize, lanes } = imported;
			const memoryBytes = 128 * 2 ** logN * blockSize;
			requireRange("p", lanes, 1, LANES_MAX);
			// RFC 7914, section 2.
			requireRange("ln", logN, 1, Math.min(31, 16 * blockSize - 1));
			requireRange("128 * 2^ln * r", memoryBytes, 1, MEMORY_MAX_MIB * MIB, "bytes");
			requireRange("128 * 2^ln * r * p", memoryBytes * lanes, 1, SCRYPT_WORK_MAX_MIB * MIB, "bytes");
			return;
		}
		default:
			requireRange("iterations", imported.iterations, 1, PBKDF2_ITERATIONS_MAX);
	}
}

function requireRange(name: string, value: number, min: number, max: number, unit = ""): void {
	if (value >= min && value <= max) return;
	throw new HashFormatError(`must have ${name} from ${min} to ${max}${unit && ` ${unit}`}`);
}
