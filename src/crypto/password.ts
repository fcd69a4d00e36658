// Passwords: the rules for new ones, and bcrypt hashes.

import * as bcrypt from "@node-rs/bcrypt";
import { invalidField } from "../kernel/error.ts";
import { rateLimitKey } from "../kernel/ip.ts";
import { sha1Hex } from "./digest.ts";
import { type HashLoad, HashQueue } from "./hash-queue.ts";
import { isCommonPassword } from "./is-common-password.ts";

export const PASSWORD_MIN_CHARACTERS = 8;
/** bcrypt silently ignores all bytes after these. */
export const PASSWORD_MAX_BYTES = 72;

/** One hash of cost 12 on one core, measured on a 2-core machine; each cost step doubles it. */
const HASH_MS_AT_COST_12 = 200;
const QUEUE_MS = 5_000;

export interface PasswordHasherOptions {
	/** bcrypt cost: 10 to 15 by configuration, 4 in tests. */
	readonly cost: number;
	/** Hashes at once: cores - 1, at least 1. */
	readonly threads: number;
	/** Hashes that may wait; default `queueLimitFor(cost, threads)`. */
	readonly queueLimit?: number;
	/** Whether the SHA-1 of a password (40 hex digits) is in the list of breached ones; unset: no list. */
	readonly isBreached?: ((sha1Hex: string) => Promise<boolean>) | undefined;
}

/**
 * Every method that hashes waits for its turn, and is refused when too many wait. Turns are shared fairly between
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
	/** `$2b$` hash of the NFC form. @throws AppError as `checkPasswordPolicy` for text that bcrypt would cut. */
	hash(passwordPlain: string, ip: string): Promise<string>;
	/** Also false, after the same work, for a password that the rules never allowed. */
	verify(passwordPlain: string, hash: string, ip: string): Promise<boolean>;
	/** The same work and answer as for a wrong password, when there is no account or no password. */
	verifyAbsent(passwordPlain: string, ip: string): Promise<false>;
	/** Without hashing: refuses overload before other work is done. @throws AppError `service.overloaded`. */
	checkRoom(ip: string): void;
	/** After a correct password: whether to hash it again, with the current cost and as `$2b$`. */
	needsRehash(hash: string): boolean;
	readonly load: HashLoad;
}

export function createPasswordHasher(options: PasswordHasherOptions): PasswordHasher {
	const { cost, threads } = options;
	const queueLimit = options.queueLimit ?? queueLimitFor(cost, threads);
	const queue = new HashQueue({ threads, queueLimit, hashMs: hashMsAt(cost) });
	const absentHash = absentHashAt(cost);

	async function verifyAbsent(passwordPlain: string, ip: string): Promise<false> {
		await queue.run(rateLimitKey(ip), () => bcrypt.verify(normalizePassword(passwordPlain), absentHash));
		return false;
	}

	return {
		async check(passwordPlain, owner) {
			const text = normalizePassword(passwordPlain);
			checkPasswordPolicy(text, owner);
			if (await options.isBreached?.(sha1Hex(text)))
				throw invalidField(
					owner.field ?? "password",
					"is known from a data breach, please choose another",
					"password.breached",
				);
			return text;
		},
		async hash(passwordPlain, ip) {
			const text = normalizePassword(passwordPlain);
			refuseUnhashable(text, "password");
			return queue.run(rateLimitKey(ip), () =>
				bcrypt.hash(text, { cost, version: "2b", rejectLongPasswords: true }),
			);
		},
		async verify(passwordPlain, hash, ip) {
			const text = normalizePassword(passwordPlain);
			// Otherwise the first 72 bytes alone would match, or texts that differ only in invalid characters.
			const parsed = parsedHash(hash);
			if (complaintAbout(text) !== undefined || parsed === undefined) return verifyAbsent(passwordPlain, ip);
			return queue.run(rateLimitKey(ip), async () => {
				if (await bcrypt.verify(text, hash)) return true;
				// A wrong password against a cheaper, older hash must not answer sooner than an unknown name:
				// 2^old + (2^old + … + 2^(cost-1)) = 2^cost.
				for (let step = parsed.cost; step < cost; step++) await bcrypt.verify(text, absentHashAt(step));
				return false;
			});
		},
		verifyAbsent,
		checkRoom: (ip) => queue.checkRoom(rateLimitKey(ip)),
		needsRehash(hash) {
			const parsed = parsedHash(hash);
			return parsed !== undefined && (parsed.cost < cost || parsed.version !== "2b");
		},
		get load() {
			return queue.load;
		},
	};
}

/** A well-formed hash of no known password: bcrypt does its full work, and none has to be generated first. */
function absentHashAt(cost: number): string {
	return `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;
}

/**
 * Five seconds of work: threads * 5 s / (200 ms * 2^(cost - 12)), at least one hash per thread. Cost 12 and one thread:
 * 25. A longer wait is worse than an early refusal.
 */
export function queueLimitFor(cost: number, threads: number): number {
	return Math.max(threads, Math.floor((threads * QUEUE_MS) / hashMsAt(cost)));
}

function hashMsAt(cost: number): number {
	return HASH_MS_AT_COST_12 * 2 ** (cost - 12);
}

/** NFC: the same password for every way a keyboard composes accents. */
export function normalizePassword(text: string): string {
	return text.normalize("NFC");
}

export interface PasswordOwner {
	readonly username?: string;
	readonly email?: string;
	/** The request field named in errors; default `password`. */
	readonly field?: string;
}

/**
 * The rules for a new password: 8 characters (code points) to 72 bytes of UTF-8, both after NFC; not a common one; not
 * the username or e-mail. No rules on kinds of characters (NIST SP 800-63B, section 5.1.1.2).
 *
 * @throws AppError `request.invalid` (NUL, broken Unicode), `password.too_short`, `password.too_long`,
 * `password.too_common`, `password.same_as_name`, each with the field.
 */
export function checkPasswordPolicy(passwordPlain: string, owner: PasswordOwner = {}): void {
	const field = owner.field ?? "password";
	const text = normalizePassword(passwordPlain);
	refuseUnhashable(text, field);
	if ([...text].length < PASSWORD_MIN_CHARACTERS) {
		throw invalidField(field, `must be at least ${PASSWORD_MIN_CHARACTERS} characters`, "password.too_short");
	}
	const folded = fold(text);
	if (folded === fold(owner.username ?? "") || folded === fold(owner.email ?? "")) {
		throw invalidField(field, "must not be the username or e-mail address", "password.same_as_name");
	}
	if (isCommonPassword(text)) {
		throw invalidField(
			field,
			"is one of the most common passwords, please choose another",
			"password.too_common",
		);
	}
}

function fold(text: string): string {
	return text.normalize("NFKC").toLowerCase();
}

type Complaint = readonly ["request.invalid" | "password.too_long", string];

function complaintAbout(text: string): Complaint | undefined {
	// Some bcrypt implementations stop at NUL, and every lone surrogate becomes the same replacement character.
	if (text.includes("\0") || !text.isWellFormed()) {
		return ["request.invalid", "must be well-formed text without NUL characters"];
	}
	if (Buffer.byteLength(text) <= PASSWORD_MAX_BYTES) return undefined;
	return ["password.too_long", `must be at most ${PASSWORD_MAX_BYTES} bytes in UTF-8`];
}

function refuseUnhashable(text: string, field: string): void {
	const complaint = complaintAbout(text);
	if (complaint !== undefined) throw invalidField(field, complaint[1], complaint[0]);
}

function parsedHash(hash: string): bcrypt.ParsedHashOptions | undefined {
	try {
		return bcrypt.parseOptions(hash);
	} catch {
		return undefined;
	}
}
