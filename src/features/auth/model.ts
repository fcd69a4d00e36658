// Sign-in: sessions, mailed codes, counted failures, and what is asked of their stores.

import { SECOND_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";
import type { User } from "../users/model.ts";

export const ACCESS_TOKEN_SECONDS = 900;
export const REFRESH_SLIDING_SECONDS = 7 * 86_400;
export const REFRESH_ABSOLUTE_SECONDS = 30 * 86_400;
/** Within this time the token used before answers the same successor again: a lost answer, not a theft. */
export const REFRESH_GRACE_SECONDS = 10;

/** In a body, in characters: longer than any password that can be set, so that its own limit is what a caller is told. */
export const PASSWORD_TEXT_MAX = 1_024;

export const CODE_DIGITS = 6;
export const CODE_SECONDS = 600;
export const CODE_TRIES = 5;
export const CODE_RESEND_SECONDS = 60;
export const CODE_SENDS_PER_HOUR = 5;

/** Failures of one name from one address after which it has to wait, first 30 s, then twice as long each time. */
export const FAILURES_BEFORE_DELAY = 5;
export const FIRST_DELAY_SECONDS = 30;
export const LONGEST_DELAY_SECONDS = 900;
/** A name left alone for this long starts to count from 0 again (for its address, never over all addresses). */
export const FAILURES_KEPT_SECONDS = 86_400;
/** Failures in a row, over all addresses, after which an account's password is refused until it is reset. */
export const FAILURES_BEFORE_LOCK = 100;

export interface Session {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** The application signed in to, if one was named. */
	readonly appId: string | null;
	readonly refreshDigest: string;
	readonly refreshExpiresAtMs: number;
	readonly absoluteExpiresAtMs: number;
	readonly authenticatedAtMs: number;
	/** How it was proved, RFC 8176: `pwd`. */
	readonly amr: readonly string[];
	readonly ip: string;
	readonly userAgent: string;
	readonly createdAtMs: number;
	readonly lastUsedAtMs: number;
}

/** Whoever holds a valid access token, as the Bearer guard hands them on: the rows behind it, read once. */
export interface SignedIn {
	readonly user: User;
	readonly tenantId: string;
	readonly sessionId: string;
	readonly appId: string | null;
}

export interface SessionStore {
	insert(session: Session): Promise<void>;
	/** The session's user, in one statement: undefined when the session ended or expired. The Bearer guard's only query. */
	findSignedIn(sessionId: string, nowMs: number): Promise<SignedIn | undefined>;
	findById(sessionId: string): Promise<Session | undefined>;
	findByRefreshDigest(digest: string): Promise<Session | undefined>;
	/**
	 * Inside a transaction: rotates only if `fromDigest` is still the current one, and records it as used (kept until
	 * the session's absolute end, so that a stolen one is known for what it is as long as it could do harm).
	 * @returns false when another request rotated first, or the session ended.
	 */
	rotate(
		sessionId: string,
		fromDigest: string,
		to: { readonly digest: string; readonly refreshExpiresAtMs: number },
		origin: { readonly ip: string; readonly userAgent: string },
		nowMs: number,
	): Promise<boolean>;
	findUsedRefresh(
		digest: string,
	): Promise<{ readonly sessionId: string; readonly usedAtMs: number } | undefined>;
	/** Inside a transaction: it does not end before the transaction does. @returns false when it has ended. */
	hold(tenantId: string, userId: string, sessionId: string): Promise<boolean>;
	/** Live sessions of a user. */
	list(tenantId: string, userId: string, nowMs: number, page: PageQuery): Promise<Page<Session>>;
	end(tenantId: string, userId: string, sessionId: string): Promise<boolean>;
	/**
	 * Inside a transaction: sign-ins that wait for a second factor end too.
	 * @returns how many live sessions ended; expired ones go too, uncounted.
	 */
	endAll(tenantId: string, userId: string, nowMs: number, exceptSessionId?: string): Promise<number>;
	/** Deletes expired sessions and used tokens, at most `limit` each. */
	purgeExpired(nowMs: number, limit: number): Promise<number>;
}

/** What a sign-in or a refresh hands out. The refresh token is stored nowhere: only its digest is. */
export interface IssuedTokens {
	readonly accessToken: string;
	readonly expiresInSeconds: number;
	readonly refreshToken: string;
	readonly refreshExpiresInSeconds: number;
	readonly user: User;
}

/**
 * A factor somebody has proved: a password, an account elsewhere, or all that is wanted, when `amr` holds `mfa`. `S` are
 * the stores its `confirm` writes to.
 */
export interface FirstFactor<S> {
	/** As it was read when the factor was proved. */
	readonly user: User;
	/** The application to sign in to; access to it is yet to be decided. */
	readonly appId: string | null;
	/** How it was proved, RFC 8176: `pwd`; with `mfa` no other factor is asked for. */
	readonly amr: readonly string[];
	/**
	 * In the transaction of the sign-in, before anything else is written: uses up what was proved and answers whether it
	 * still stands. False undoes nothing that it wrote.
	 */
	confirm(stores: S): Promise<boolean>;
	/** In the transaction that records why somebody who proved the factor gets nothing (disabled, no access). */
	refused?(stores: S): Promise<void>;
}

export const SECOND_FACTOR_METHODS = ["totp", "recovery_code", "passkey"] as const;
export type SecondFactorMethod = (typeof SECOND_FACTOR_METHODS)[number];

/** A first factor was proved, and another is wanted before there is a session. */
export interface SecondFactorDue {
	/** 256 bits, stored as a digest, good for `MFA_TOKEN_SECONDS`, `MFA_TOKEN_TRIES` wrong answers and one sign-in. */
	readonly mfaToken: string;
	readonly expiresInSeconds: number;
	/** What the user can answer with; empty when `enrolmentRequired`. */
	readonly methods: readonly SecondFactorMethod[];
	/** There is none yet, and tenant or application require one: the token lets enrol one, and does nothing else. */
	readonly enrolmentRequired: boolean;
}

/** What a proved factor leads to. */
export type SignInOutcome = { readonly tokens: IssuedTokens } | { readonly secondFactor: SecondFactorDue };

export const MFA_TOKEN_SECONDS = 600;
export const MFA_TOKEN_TRIES = 5;

/** A sign-in that waits for its second factor. */
export interface PendingSignIn {
	/** `tokenDigest` of the `mfa_token`. */
	readonly tokenDigest: string;
	readonly tenantId: string;
	readonly userId: string;
	readonly appId: string | null;
	/** Of the factor proved so far. */
	readonly amr: readonly string[];
	/** See `SecondFactorDue.enrolmentRequired`. */
	readonly enrolment: boolean;
	readonly expiresAtMs: number;
	readonly createdAtMs: number;
}

export interface PendingSignInStore {
	insert(pending: PendingSignIn): Promise<void>;
	/** Undefined when it expired, was used, or was answered wrongly too often. */
	find(tokenDigest: string, nowMs: number): Promise<PendingSignIn | undefined>;
	/** Counts an answer before it is looked at: parallel ones never make more than `MFA_TOKEN_TRIES`. @returns whether one was left. */
	takeTry(tokenDigest: string, nowMs: number): Promise<boolean>;
	/** Uses it up: true for one caller only. */
	consume(tokenDigest: string, nowMs: number): Promise<boolean>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/**
 * The one way from a proved first factor to a session, whichever factor it was.
 *
 * @returns undefined when `confirm` answered false, or the account was disabled or removed meanwhile: nothing was opened.
 * @throws AppError `account.disabled`, `application.access_denied` (also when there is no such application).
 */
export type CompleteSignIn<S> = (
	factor: FirstFactor<S>,
	origin: Origin,
) => Promise<SignInOutcome | undefined>;

/** What a mailed code is good for. */
/** `password_reset` and `email_change` only count how often an address is sent mail; `email_change:<user id>` is the code. */
export type CodePurpose = "registration" | "password_reset" | "email_change" | `email_change:${string}`;

/** The one live code for a purpose and an address, and when codes were sent to it. */
export interface EmailCodeStore {
	/**
	 * Inside a transaction: puts a new code in the place of the old one, with all its tries, unless the address was
	 * sent one within `CODE_RESEND_SECONDS` or `CODE_SENDS_PER_HOUR` within the hour: one conditional statement
	 * decides. @returns undefined, or when the next may be sent.
	 */
	put(code: NewEmailCode, nowMs: number): Promise<SendRefusal | undefined>;
	/**
	 * Inside a transaction: compares and counts in one statement, so that parallel guesses never make more than
	 * `CODE_TRIES` wrong ones. A right code costs no try.
	 * @returns `"dead"` when there is no live code: nothing was counted.
	 */
	tryCode(code: EmailCodeKey, codeDigest: string, nowMs: number): Promise<"right" | "wrong" | "dead">;
	/** Uses the code up: true for one caller only, however many come at once. What was sent stays counted. */
	consume(code: EmailCodeKey, codeDigest: string, nowMs: number): Promise<boolean>;
	/** Deletes what is neither live nor counts any more, at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** A device not seen for this long is a new one again. */
export const DEVICE_KNOWN_DAYS = 90;

/** Devices people signed in with lately, as keyed digests. */
export interface KnownDeviceStore {
	/** Inside a transaction. @returns whether it was known; of several at once from a new one, one is told so. */
	note(tenantId: string, userId: string, deviceDigest: string, nowMs: number): Promise<boolean>;
	/** Deletes what is known no more, at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** Which limit an address has reached, and when the next code may be sent to it. */
export interface SendRefusal {
	readonly limit: number;
	readonly retryAtMs: number;
}

/** What a refused code is told, whatever it was for. */
export function tooManyCodes({ limit, retryAtMs }: SendRefusal, nowMs: number): AppError {
	const seconds = Math.max(1, Math.ceil((retryAtMs - nowMs) / SECOND_MS));
	return new AppError("code.too_many", `too many codes for this address, try again in ${seconds} s`, {
		retryAfterSeconds: seconds,
		headers: {
			"ratelimit-limit": String(limit),
			"ratelimit-remaining": "0",
			"ratelimit-reset": String(seconds),
		},
	});
}

export interface EmailCodeKey {
	readonly tenantId: string;
	readonly purpose: CodePurpose;
	/** Lower case. */
	readonly address: string;
}

export interface NewEmailCode extends EmailCodeKey {
	/** `codeDigest` of crypto/digest.ts. */
	readonly codeDigest: string;
	readonly expiresAtMs: number;
}

/** When the attempt is refused: until when, by how many attempts, the last of them at `sinceMs`. Else it was counted and may be made. */
export type Reservation =
	| { readonly blockedUntilMs: number; readonly failures: number; readonly sinceMs: number }
	| undefined;

/**
 * Password attempts that were not (yet) right, counted before the password is looked at: parallel guesses cannot
 * slip past a counter that is raised afterwards. Whoever reserves must `clear` after a right password, and `release`
 * when the password was not looked at after all.
 *
 * An IPv6 address counts by its /64: one machine has as many addresses as it likes. A `subject` is what is guessed at: `nameSubject` (what was typed, digested) or `accountSubject`.
 */
export interface LoginFailureStore {
	/** Inside a transaction: counts an attempt from this address, unless the subject has to wait there. One statement decides. */
	reserve(tenantId: string, subject: string, ip: string, nowMs: number): Promise<Reservation>;
	/** Inside a transaction: counts an attempt over all addresses. @returns the attempts in a row, this one included. */
	count(tenantId: string, subject: string, nowMs: number): Promise<number>;
	/** Takes back one counted attempt: nothing was proved either way. */
	release(tenantId: string, subject: string, ip: string): Promise<void>;
	/** Forgets the attempts from this address; `ANY_ADDRESS` for those counted over all. */
	clear(tenantId: string, subject: string, ip: string): Promise<void>;
	/** Forgets the attempts from every address and over all. */
	clearEverywhere(tenantId: string, subject: string): Promise<void>;
	/** Deletes what was left alone long enough, at most `limit` rows; a locked account stays locked. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/**
 * Counts a look at a password before it is made, as sign-in does: `make` throws when the password was wrong.
 *
 * @throws AppError `login.too_many`.
 */
export interface PasswordAttemptCounter {
	run<T>(
		attempt: {
			readonly tenantId: string;
			readonly name: string;
			readonly account: string;
			readonly ip: string;
		},
		make: (count: { readonly failures: number; readonly locked: boolean }) => Promise<T>,
	): Promise<T>;
}

/** The `ip` of attempts counted over all addresses. */
export const ANY_ADDRESS = "";

/** An account as a subject of attempts: one, whether it was named by username or by e-mail. */
export function accountSubject(userId: string): string {
	return `user:${userId}`;
}

/** What is stored of a name typed at sign-in; `AuthKeys` has it. */
export interface NameSubjects {
	nameSubject(tenantId: string, name: string): string;
}

/**
 * Inside the transaction that sets a password somebody did not prove the old one for: what was guessed at the old one, by
 * whichever name and from wherever, says nothing about the new one. Ends a lock, too.
 */
export async function forgetGuesses(
	loginFailures: LoginFailureStore,
	keys: NameSubjects,
	{ id, tenantId, username, email }: Pick<User, "id" | "tenantId" | "username" | "email">,
): Promise<void> {
	await loginFailures.clearEverywhere(tenantId, accountSubject(id));
	await loginFailures.clearEverywhere(tenantId, keys.nameSubject(tenantId, username));
	await loginFailures.clearEverywhere(tenantId, keys.nameSubject(tenantId, email));
}

/** A key that signs access tokens; `privateSealed` opens with `signingKeyContext(kid)` to the private JWK as JSON. */
export interface StoredSigningKey {
	/** RFC 7638 thumbprint. */
	readonly kid: string;
	readonly publicJwk: PublicJwk;
	readonly privateSealed: string;
	readonly createdAtMs: number;
	/** From then on it signs, until another does. */
	readonly signsFromMs: number;
	/** Dropped at that moment, before its time; null for nearly every key. */
	readonly withdrawnAtMs: number | null;
}

export interface PublicJwk {
	readonly kty: string;
	readonly crv: string;
	readonly x: string;
	readonly y: string;
}

export function signingKeyContext(kid: string): string {
	return `signing_key:${kid}`;
}

export interface SigningKeyStore {
	insert(key: StoredSigningKey): Promise<void>;
	/** Newest first: also those that are published no more. */
	listAll(): Promise<StoredSigningKey[]>;
	/** False when it is gone or withdrawn already. */
	withdraw(kid: string, nowMs: number): Promise<boolean>;
	/** False when somebody else removed it. */
	remove(kid: string): Promise<boolean>;
}

/** Associated data of the sealed derivation root. */
export function derivationRootContext(id: string): string {
	return `derivation_root:${id}`;
}

/** The one secret that keys for keyed digests are derived from. */
export interface DerivationRootStore {
	find(id: string): Promise<string | undefined>;
	/** Does nothing when there is one: of several nodes that start at once one writes it. */
	insertOnce(id: string, rootSealed: string, nowMs: number): Promise<void>;
}

/** What a proved token says of whose it is: session, user and tenant, all of which must fit each other. */
export interface ProvedToken {
	readonly sid: string;
	readonly sub: string;
	readonly tenant_id: string;
}

/** Proves an access token; answers without a promise when it has seen the token before. */
export interface AccessTokenVerifier {
	/** @throws AppError `token.invalid`. */
	verify(token: string): ProvedToken | Promise<ProvedToken>;
}
