// Counted password attempts: limits, and the store that counts them before a password is checked.

import { MINUTE_MS } from "../kernel/clock.ts";
import type { Allowance } from "./address-allowance.ts";
import type { AuditDetails, AuditLog } from "./audit.ts";
import type { User } from "./user.ts";

/** Failures of one name from one IP address before it has to wait: 30 s at first, doubled by each further failure. */
export const FAILURES_BEFORE_DELAY = 5;
export const FIRST_DELAY_SECONDS = 30;
export const LONGEST_DELAY_SECONDS = 900;
/**
 * Without an attempt for this long, failures of a name from an address are forgotten (never those over all addresses).
 */
export const FAILURES_KEPT_SECONDS = 86_400;
/**
 * Wrong passwords and codes of a client address, over all names and tenants; one is forgotten every `windowMs / count`.
 */
export const ADDRESS_FAILURES: Allowance = { kind: "password", count: 20, windowMs: 15 * MINUTE_MS };
/**
 * Consecutive failures across all IP addresses after which an account's password is refused until it is reset or the
 * account is unlocked. Also for codes of an authenticator app, until the factors are reset or the account is unlocked.
 */
export const FAILURES_BEFORE_LOCK = 100;

/** A refusal: when it ends, and the number of attempts that caused it, the last at `sinceMs`. Undefined: counted and allowed. */
export type Reservation =
	| { readonly blockedUntilMs: number; readonly failures: number; readonly sinceMs: number }
	| undefined;

/**
 * Password attempts since the last correct one, counted before the password is checked, so that concurrent guesses
 * cannot exceed the limit. After `reserve`, call `clear` for a correct password and `release` for an unchecked one.
 *
 * IPv6 addresses count by /64, because one machine has many. A `subject` is `nameSubject` (digest of the typed name) or
 * `accountSubject`.
 */
export interface LoginFailureStore {
	/**
	 * Inside a transaction: counts an attempt from this address in one statement, unless the subject has to wait there.
	 */
	reserve(tenantId: string, subject: string, ip: string, nowMs: number): Promise<Reservation>;
	/** Inside a transaction: counts an attempt across all addresses. @returns the consecutive attempts so far. */
	count(tenantId: string, subject: string, nowMs: number): Promise<number>;
	/** Uncounts one attempt that ended without a verdict. */
	release(tenantId: string, subject: string, ip: string): Promise<void>;
	/** Deletes the attempts from this IP address; with `ANY_ADDRESS`, those counted across all. */
	clear(tenantId: string, subject: string, ip: string): Promise<void>;
	/** Deletes the attempts from every IP address and across all. @returns how many were counted across all addresses. */
	clearEverywhere(tenantId: string, subject: string): Promise<number>;
	/** Whether one of these subjects has `FAILURES_BEFORE_LOCK` failures across all addresses. */
	isAnyLocked(tenantId: string, subjects: readonly [string, string]): Promise<boolean>;
	/** Deletes expired failures, at most `limit` rows. A locked account stays locked. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** Refusals that already have an audit event, so that the trail does not grow with each refused attempt. */
export interface RefusalNoteStore {
	/**
	 * Inside the transaction that writes the audit event. One statement decides.
	 *
	 * @returns true once per tenant, subject, and IP address (IPv6 by /64) until `untilMs`.
	 */
	note(
		of: { readonly tenantId: string; readonly subject: string; readonly ip: string },
		untilMs: number,
		nowMs: number,
	): Promise<boolean>;
	/** Deletes expired notes, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** Consecutive `failures` across all IP addresses, including this attempt; above the limit the account is locked. */
export interface AttemptCount {
	readonly failures: number;
	readonly locked: boolean;
}

export interface Attempt {
	readonly tenantId: string;
	/** `nameSubject` of the typed name, so that known and unknown names wait alike. */
	readonly name: string;
	/** `accountSubject`, or the name again for an unknown account. */
	readonly account: string;
	/** The client's IP address, or `ANY_ADDRESS`: failures of the name are counted per `ip`. */
	readonly ip: string;
	/** The client's IP address if `ip` is `ANY_ADDRESS`: failures across all names are counted per address. */
	readonly address?: string;
}

export interface PasswordAttemptCounter {
	/**
	 * Counts the attempt for the IP address across all names (`ADDRESS_FAILURES`) and for the name, then calls `verify`,
	 * which throws for a wrong password and otherwise clears the counts of the name. Releases an attempt without a
	 * verdict. The IP address keeps wrong attempts only, until they expire.
	 *
	 * @param recordRefusal appends the audit event of the first refused attempt while a limit refuses; `why` names the
	 * limit.
	 * @throws AppError `service.overloaded`, not counted; `login.too_many`, not verified; what `verify` throws.
	 */
	run<T>(
		attempt: Attempt,
		verify: (count: AttemptCount) => Promise<T>,
		recordRefusal?: RecordRefusal,
	): Promise<T>;
}

export type RecordRefusal = (audit: AuditLog, why: AuditDetails) => Promise<void>;

/** The `ip` of attempts counted across all IP addresses. */
export const ANY_ADDRESS = "";

/** An account as a subject of attempts: the same for its username and its email. */
export function accountSubject(userId: string): string {
	return `user:${userId}`;
}

/** A wrong code of an authenticator app counts for the account, across all tokens and IP addresses. */
export function totpAttempt(tenantId: string, userId: string) {
	const account = `${accountSubject(userId)}:totp`;
	return { tenantId, name: `totp:${userId}`, account, ip: ANY_ADDRESS } satisfies Attempt;
}

/**
 * A wrong user code of a device counts for the account that enters it, over all addresses; it never locks the account.
 */
export function userCodeAttempt(tenantId: string, userId: string) {
	const [name, account] = [`user_code:${userId}`, `user_codes:${userId}`];
	return { tenantId, name, account, ip: ANY_ADDRESS } satisfies Attempt;
}

/** Clears the failures of the name from this IP address, and those of the account from all IP addresses. */
export async function clearFailures(
	loginFailures: LoginFailureStore,
	{ tenantId, name, account, ip }: Attempt,
): Promise<void> {
	await loginFailures.clear(tenantId, name, ip);
	await loginFailures.clear(tenantId, account, ANY_ADDRESS);
}

/** The part of `KeyedDigests` for counting attempts per name. */
export interface NameSubjects {
	nameSubject(tenantId: string, name: string): string;
}

/**
 * Inside a transaction: deletes all counted guesses of a user's password, which also ends a lock.
 *
 * @returns the number of consecutive guesses across all IP addresses.
 */
export async function forgetGuesses(
	loginFailures: LoginFailureStore,
	keys: NameSubjects,
	{ id, tenantId, username, email }: Pick<User, "id" | "tenantId" | "username" | "email">,
): Promise<number> {
	const failures = await loginFailures.clearEverywhere(tenantId, accountSubject(id));
	await loginFailures.clearEverywhere(tenantId, keys.nameSubject(tenantId, username));
	await loginFailures.clearEverywhere(tenantId, keys.nameSubject(tenantId, email));
	return failures;
}

/** Like `forgetGuesses`, for codes of an authenticator app. */
export async function forgetCodeGuesses(
	loginFailures: LoginFailureStore,
	{ id, tenantId }: Pick<User, "id" | "tenantId">,
): Promise<number> {
	const { name, account } = totpAttempt(tenantId, id);
	await loginFailures.clearEverywhere(tenantId, name);
	return loginFailures.clearEverywhere(tenantId, account);
}
