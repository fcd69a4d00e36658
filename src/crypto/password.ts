// Passwords: the rules for new ones, bcrypt hashes, and imported hashes until they are replaced.

import * as bcrypt from "@node-rs/bcrypt";
import { refusedField } from "../kernel/error.ts";
import { type Problem, problem } from "../kernel/field-reason.ts";
import { Semaphore } from "../kernel/semaphore.ts";
import { BcryptTurns, type BcryptTurnsOptions } from "./bcrypt-turns.ts";
import { hashMsAt } from "./bcrypt-work.ts";
import { sha1Hex } from "./digest.ts";
import type { HashLoad } from "./hash-queue.ts";
import { parseImportedHash } from "./imported-hash.ts";
import { HashFormatError, type ImportedHash } from "./imported-hash-limits.ts";
import { isCommonPassword } from "./is-common-password.ts";
import { verifyImportedHash } from "./verify-imported-hash.ts";

export const PASSWORD_MIN_CHARACTERS = 8;
/** bcrypt silently ignores all bytes after these. */
export const PASSWORD_MAX_BYTES = 72;

const QUEUE_MS = 5_000;

export interface PasswordHasherOptions extends Omit<BcryptTurnsOptions, "queueLimit"> {
	/** Hashes that may wait; default `queueLimitFor(cost, threads)`. */
	readonly queueLimit?: number;
	/** Whether the SHA-1 of a password (40 hex digits) is in the list of breached ones; unset: no list. */
	readonly isBreached?: ((sha1Hex: string) => Promise<boolean>) | undefined;
}

/**
 * Every method that hashes waits for its turn, and is refused when too many wait. Turns are shared fairly between IP
 * addresses: `ip` is the address that limits count by (IPv6 by /64), empty for the service itself. Count an attempt
 * before verifying it, not after.
 *
 * @throws AppError `service.overloaded` with `retryAfterSeconds`.
 */
export interface PasswordHasher {
	/**
	 * Checks a new password: `checkPasswordPolicy`, and that it is in no known breach. Needs no turn.
	 *
	 * @returns the NFC form.
	 * @throws AppError as `checkPasswordPolicy`, `password.breached`; `service.unavailable` when the list cannot be read.
	 */
	check(passwordPlain: string, owner: PasswordOwner): Promise<string>;
	/** `$2b$` hash of the NFC form. @throws AppError as `checkPasswordPolicy` for text that bcrypt would truncate. */
	hash(passwordPlain: string, ip: string): Promise<string>;
	/**
	 * Also false, after the same work, for a password that the rules never allowed. An imported hash (`imported-hash.ts`)
	 * may have a longer password; where it takes less time than bcrypt, bcrypt work fills up the time of a wrong
	 * password.
	 */
	verify(passwordPlain: string, hash: string, ip: string): Promise<boolean>;
	/** The same work and result as for a wrong password, when there is no account or no password. */
	verifyAbsent(passwordPlain: string, ip: string): Promise<false>;
	/** Call before expensive work that precedes a hash. @throws AppError `service.overloaded` if the queue is full. */
	checkRoom(ip: string): void;
	/**
	 * After a correct password: whether to rehash it, with the current cost and as `$2b$`. An imported hash is kept for a
	 * password that bcrypt would truncate.
	 */
	needsRehash(hash: string, passwordPlain: string): boolean;
	readonly load: HashLoad;
}

export function createPasswordHasher(options: PasswordHasherOptions): PasswordHasher {
	const { cost, threads } = options;
	const queueLimit = options.queueLimit ?? queueLimitFor(cost, threads);
	const { onLanesFailed, onVerify } = options;
	const turns = new BcryptTurns({ cost, threads, queueLimit, onLanesFailed, onVerify });
	// Each imported hash may need much memory, even if it shares a thread.
	const imports = new Semaphore(threads);

	async function verifyAbsent(passwordPlain: string, ip: string): Promise<false> {
		await turns.verify(ip, (work) => work.spend(normalizePassword(passwordPlain)));
		return false;
	}

	function verifyImported(text: string, imported: ImportedHash, ip: string): Promise<boolean> {
		return turns.verify(ip, async (work) => {
			const startedAt = performance.now();
			const release = await imports.acquire();
			if (await verifyImportedHash(text, imported).finally(release)) return true;
			await work.fillUp(text, startedAt);
			return false;
		});
	}

	return {
		async check(passwordPlain, owner) {
			const text = normalizePassword(passwordPlain);
			checkPasswordPolicy(text, owner);
			if (await options.isBreached?.(sha1Hex(text)))
				throw refusedField("password.breached", owner.field ?? "password", problem("password_breached"));
			return text;
		},
		async hash(passwordPlain, ip) {
			const text = normalizePassword(passwordPlain);
			refuseUnhashable(text, "password");
			return turns.hash(ip, () => bcrypt.hash(text, cost));
		},
		async verify(passwordPlain, hash, ip) {
			const text = normalizePassword(passwordPlain);
			const imported = findImportedHash(hash);
			if (imported !== undefined)
				return isText(text) ? verifyImported(text, imported, ip) : verifyAbsent(passwordPlain, ip);
			// Otherwise the first 72 bytes alone would match, or texts that differ only in invalid characters.
			const parsed = parsedHash(hash);
			if (complaintAbout(text) !== undefined || parsed === undefined) return verifyAbsent(passwordPlain, ip);
			return turns.verify(ip, async (work) => {
				if (await work.verify(text, hash, parsed.cost)) return true;
				// A cheaper, older hash must not return sooner than an unknown name.
				await work.addSteps(text, parsed.cost);
				return false;
			});
		},
		verifyAbsent,
		checkRoom: (ip) => turns.checkRoom(ip),
		needsRehash(hash, passwordPlain) {
			if (findImportedHash(hash) !== undefined)
				return complaintAbout(normalizePassword(passwordPlain)) === undefined;
			const parsed = parsedHash(hash);
			return parsed !== undefined && (parsed.cost < cost || parsed.version !== "2b");
		},
		get load() {
			return turns.load;
		},
	};
}

/**
 * Five seconds of work: threads * 5 s / (200 ms * 2^(cost - 12)), at least one hash per thread. Cost 12 and one thread:
 * 25. A longer wait is worse than an early refusal.
 */
export function queueLimitFor(cost: number, threads: number): number {
	return Math.max(threads, Math.floor((threads * QUEUE_MS) / hashMsAt(cost)));
}

/** NFC: the same password for every way in which a keyboard composes accents. */
export function normalizePassword(text: string): string {
	return text.normalize("NFC");
}

export interface PasswordOwner {
	readonly username?: string;
	readonly email?: string;
	/** The request field in errors; default `password`. */
	readonly field?: string;
}

/**
 * The rules for a new password: 8 characters (code points) to 72 bytes of UTF-8, both after NFC; not common; not the
 * username or email. No rules on character classes (NIST SP 800-63B, section 5.1.1.2).
 *
 * @throws AppError `request.invalid` (NUL, broken Unicode), `password.too_short`, `password.too_long`,
 * `password.too_common`, `password.same_as_name`, each with the field.
 */
export function checkPasswordPolicy(passwordPlain: string, owner: PasswordOwner = {}): void {
	const field = owner.field ?? "password";
	const text = normalizePassword(passwordPlain);
	refuseUnhashable(text, field);
	if ([...text].length < PASSWORD_MIN_CHARACTERS) {
		throw refusedField(
			"password.too_short",
			field,
			problem("characters_min", { min: PASSWORD_MIN_CHARACTERS }),
		);
	}
	const folded = fold(text);
	if (folded === fold(owner.username ?? "") || folded === fold(owner.email ?? "")) {
		throw refusedField("password.same_as_name", field, problem("password_is_name"));
	}
	if (isCommonPassword(text)) {
		throw refusedField("password.too_common", field, problem("password_common"));
	}
}

function fold(text: string): string {
	return text.normalize("NFKC").toLowerCase();
}

type Complaint = readonly ["request.invalid" | "password.too_long", Problem];

function complaintAbout(text: string): Complaint | undefined {
	// Some bcrypt implementations stop at NUL, and every lone surrogate becomes the same replacement character.
	if (!isText(text)) return ["request.invalid", problem("invalid_characters")];
	if (Buffer.byteLength(text) <= PASSWORD_MAX_BYTES) return undefined;
	return ["password.too_long", problem("bytes_max", { max: PASSWORD_MAX_BYTES })];
}

function isText(text: string): boolean {
	return !text.includes("\0") && text.isWellFormed();
}

function refuseUnhashable(text: string, field: string): void {
	const complaint = complaintAbout(text);
	if (complaint !== undefined) throw refusedField(complaint[0], field, complaint[1]);
}

const BCRYPT_HASH = /^\$(2[abxy])\$(0[4-9]|[12][0-9]|3[01])\$[./A-Za-z0-9]{53}$/;

function parsedHash(hash: string): { readonly version: string; readonly cost: number } | undefined {
	const [, version, cost] = BCRYPT_HASH.exec(hash) ?? [];
	return version === undefined ? undefined : { version, cost: Number(cost) };
}

function findImportedHash(hash: string): ImportedHash | undefined {
	// Most hashes are bcrypt's.
	if (hash.startsWith("$2")) return undefined;
	try {
		return parseImportedHash(hash);
	} catch (error) {
		if (error instanceof HashFormatError) return undefined;
		throw error;
	}
}
