// Passwords: what may be one, and its bcrypt hash.

import * as bcrypt from "@node-rs/bcrypt";
import { invalidField } from "../kernel/error.ts";
import { sha1Hex } from "./digest.ts";
import { type HashLoad, HashQueue } from "./hash-queue.ts";
import { isCommonPassword } from "./is-common-password.ts";

export const PASSWORD_MIN_CHARACTERS = 8;
/** bcrypt reads no further: every implementation silently ignores what follows. */
export const PASSWORD_MAX_BYTES = 72;

/** One hash of cost 12 on one core, measured on a 2-core machine; each step of cost doubles it. */
const HASH_MS_AT_COST_12 = 200;
const QUEUE_MS = 5_000;

export interface PasswordHasherOptions {
	/** bcrypt cost; configured from 10 to 15, tests take 4. */
	readonly cost: number;
	/** Hashes at once: cores - 1, at least 1. */
	readonly threads: number;
	/** Hashes that may wait; default `queueLimitFor(cost, threads)`. */
	readonly queueLimit?: number;
	/** Whether a password with this SHA-1 (40 hex digits) is known from a breach; unset: nobody knows. */
	readonly isBreached?: ((sha1Hex: string) => Promise<boolean>) | undefined;
}

/**
 * Every method that hashes waits its turn and is refused at once when too many wait.
 * Callers count an attempt before they verify it, not after.
 *
 * @throws AppError `service.overloaded` with `retryAfterSeconds`.
 */
export interface PasswordHasher {
	/**
	 * The rules for a new password: `checkPasswordPolicy`, and that it is in no known breach. Needs no turn.
	 *
	 * @returns the NFC form.
	 * @throws AppError as `checkPasswordPolicy`, `password.breached`; `service.unavailable` when that cannot be known now.
	 */
	check(passwordPlain: string, owner: PasswordOwner): Promise<string>;
	/** `$2b$` hash of the NFC form. @throws AppError as `checkPasswordPolicy` for what bcrypt would cut. */
	hash(passwordPlain: string): Promise<string>;
	/** False too for a password that could never have been set; the work is done all the same. */
	verify(passwordPlain: string, hash: string): Promise<boolean>;
	/** The same work and answer as for a wrong password, where there is no account or no password. */
	verifyAbsent(passwordPlain: string): Promise<false>;
	/** Costs nothing: a rush is turned away before it makes other work. @throws AppError `service.overloaded`. */
	checkRoom(): void;
	/** After a right password: whether it should be hashed anew, at today's cost and as `$2b$`. */
	needsRehash(hash: string): boolean;
	readonly load: HashLoad;
}

export function createPasswordHasher(options: PasswordHasherOptions): PasswordHasher {
	const { cost, threads } = options;
	const queueLimit = options.queueLimit ?? queueLimitFor(cost, threads);
	const queue = new HashQueue({ threads, queueLimit, hashMs: hashMsAt(cost) });
	const absentHash = absentHashAt(cost);

	async function verifyAbsent(passwordPlain: string): Promise<false> {
		await queue.run(() => bcrypt.verify(normalizePassword(passwordPlain), absentHash));
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
		async hash(passwordPlain) {
			const text = normalizePassword(passwordPlain);
			refuseUnhashable(text, "password");
			return queue.run(() => bcrypt.hash(text, { cost, version: "2b", rejectLongPasswords: true }));
		},
		async verify(passwordPlain, hash) {
			const text = normalizePassword(passwordPlain);
			// Else the first 72 bytes alone would sign in, or texts that differ only in broken characters.
			const parsed = parsedHash(hash);
			if (complaintAbout(text) !== undefined || parsed === undefined) return verifyAbsent(passwordPlain);
			return queue.run(async () => {
				if (await bcrypt.verify(text, hash)) return true;
				// A wrong password against a hash from cheaper days must not answer sooner than an unknown name:
				// 2^old + (2^old + … + 2^(cost-1)) = 2^cost.
				for (let step = parsed.cost; step < cost; step++) await bcrypt.verify(text, absentHashAt(step));
				return false;
			});
		},
		verifyAbsent,
		checkRoom: () => queue.checkRoom(),
		needsRehash(hash) {
			const parsed = parsedHash(hash);
			return parsed !== undefined && (parsed.cost < cost || parsed.version !== "2b");
		},
		get load() {
			return queue.load;
		},
	};
}

/** A well-formed hash of no known password: bcrypt does all its work for it, and nothing has to be made first. */
function absentHashAt(cost: number): string {
	return `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;
}

/**
 * Five seconds of work: threads * 5 s / (200 ms * 2^(cost - 12)), at least one hash a thread. Cost 12 and one
 * thread: 25. Who would wait longer than that is better told to come again.
 */
export function queueLimitFor(cost: number, threads: number): number {
	return Math.max(threads, Math.floor((threads * QUEUE_MS) / hashMsAt(cost)));
}

function hashMsAt(cost: number): number {
	return HASH_MS_AT_COST_12 * 2 ** (cost - 12);
}

/** NFC: the same password however a keyboard composes its accents. */
export function normalizePassword(text: string): string {
	return text.normalize("NFC");
}

export interface PasswordOwner {
	readonly username?: string;
	readonly email?: string;
	/** Name of the request field complained about; default `password`. */
	readonly field?: string;
}

/**
 * The rules for a new password: 8 characters (code points) to 72 bytes of UTF-8, both after NFC; not a common
 * one; not the username or e-mail. No rules on kinds of characters (NIST SP 800-63B, 5.1.1.2).
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
	// Some bcrypt implementations stop at NUL, and every broken surrogate becomes the same replacement character.
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
