// Counted password attempts: limits, and the store that counts before a password is checked.

import { MINUTE_MS } from "../kernel/clock.ts";
import type { Allowance } from "./address-allowance.ts";
import type { AuditDetails, AuditLog } from "./audit.ts";
import type { User } from "./user.ts";

/** Failures of one name from one address before it has to wait: 30 s at first, doubled by each further failure. */
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
 * Consecutive failures over all addresses after which the password of an account is refused until it is reset or the
 * account unlocked; also of codes of an authenticator app, until the factors are reset or the account unlocked.
 */
export const FAILURES_BEFORE_LOCK = 100;

/** A refusal: until when, caused by how many attempts, the last one at `sinceMs`. Undefined: counted and allowed. */
export type Reservation =
	| { readonly blockedUntilMs: number; readonly failures: number; readonly sinceMs: number }
	| undefined;

/**
 * Password attempts without a right password so far, counted before the password is checked, so that parallel guesses
 * cannot pass the limit. After `reserve`, call `clear` for a right password and `release` for one that was not checked.
 *
 * IPv6 addresses count by /64, because one machine has many. A `subject` is `nameSubject` (digest of the typed name) or
 * `accountSubject`.
 */
export interface LoginFailureStore {
	/**
	 * Inside a transaction: counts an attempt from this address in one statement, unless the subject has to wait there.
	 */
	reserve(tenantId: string, subject: string, ip: string, nowMs: number): Promise<Reservation>;
	/** Inside a transaction: counts an attempt over all addresses. @returns the attempts in a row, this one included. */
	count(tenantId: string, subject: string, nowMs: number): Promise<number>;
	/** Uncounts one attempt that ended without a verdict. */
	release(tenantId: string, subject: string, ip: string): Promise<void>;
	/** Deletes the attempts from this address; `ANY_ADDRESS` for those counted over all. */
	clear(tenantId: string, subject: string, ip: string): Promise<void>;
	/** Deletes the attempts from every address and over all. @returns how many were counted over all addresses. */
	clearEverywhere(tenantId: string, subject: string): Promise<number>;
	/** Deletes expired failures, at most `limit` rows. A locked account stays locked. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** Refusals that have an audit event already, so that the trail does not grow with each refused attempt. */
export interface RefusalNoteStore {
	/**
	 * Inside the transaction that writes the audit event. One statement decides.
	 *
	 * @returns true once per tenant, subject and address (IPv6 by /64) until `untilMs`.
	 */
	note(
		of: { readonly tenantId: string; readonly subject: string; readonly ip: string },
		untilMs: number,
		nowMs: number,
	): Promise<boolean>;
	/** Deletes expired notes, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** Consecutive `failures` over all addresses, including this attempt; above the limit the account is locked. */
export interface AttemptCount {
	readonly failures: number;
	readonly locked: boolean;
}

export interface Attempt {
	readonly tenantId: string;
	/** `nameSubject` of the typed name, so that known and unknown names wait alike. */
	readonly name: string;
	/** `accountSubject`, or the name again for an unknown one. */
	readonly account: string;
	/** The client's address, or `ANY_ADDRESS`: failures of the name are counted per `ip`. */
	readonly ip: string;
	/** The client's address where `ip` is not it: failures over all names are counted per address. */
	readonly address?: string;
}

export interface PasswordAttemptCounter {
	/**
	 * Counts the attempt for the address over all names (`ADDRESS_FAILURES`) and for the name, then calls `verify`, which
	 * throws for a wrong password and otherwise clears the counts of the name. An attempt without a verdict is released.
	 * The address keeps wrong attempts only, until they expire.
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

/** The `ip` of attempts counted over all addresses. */
export const ANY_ADDRESS = "";

/** An account as a subject of attempts: the same for its username and its e-mail. */
export function accountSubject(userId: string): string {
	return `user:${userId}`;
}

/** A wrong code of an authenticator app counts for the account, over all tokens and addresses. */
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

/** Clears the failures of the name from this address, and the consecutive ones of the account over all addresses. */
export async function clearFailures(
	loginFailures: LoginFailureStore,
	{ tenantId, name, account, ip }: Attempt,
): Promise<void> {
	await loginFailures.clear(tenantId, name, ip);
	await loginFailures.clear(tenantId, account, ANY_ADDRESS);
}

/** The part of `KeyedDigests` that counts names. */
export interface NameSubjects {
	nameSubject(tenantId: string, name: string): string;
}

/**
 * Inside a transaction: deletes all counted guesses at the password of a user, which also ends a lock.
 *
 * @returns how many were counted in a row, over all addresses.
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

/** As `forgetGuesses`, for guesses at the codes of an authenticator app. */
export async function forgetCodeGuesses(
	loginFailures: LoginFailureStore,
	{ id, tenantId }: Pick<User, "id" | "tenantId">,
): Promise<number> {
	const { name, account } = totpAttempt(tenantId, id);
	await loginFailures.clearEverywhere(tenantId, name);
	return loginFailures.clearEverywhere(tenantId, account);
}
