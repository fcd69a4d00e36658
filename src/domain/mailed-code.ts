// A code mailed to verify an address: lifetime, attempts, sending limits, and its store.

import { secondsUntil } from "../kernel/clock.ts";
import { type AppError, tooMany } from "../kernel/error.ts";

export const CODE_DIGITS = 6;
export const CODE_SECONDS = 600;
export const CODE_TRIES = 5;
export const CODE_RESEND_SECONDS = 60;
export const CODE_SENDS_PER_HOUR = 5;

/**
 * What a mailed code proves: `email_change:<user id>` belongs to the user who requested it, `sign_in:<digest>` to one
 * attempt.
 */
export type CodePurpose = "registration" | `email_change:${string}` | `sign_in:${string}`;

/** A mail that a request can cause for any address; counted by address and purpose, across all tenants. */
export interface CountedMail {
	readonly purpose: "registration" | "sign_in" | "password_reset" | "email_change" | "access_request";
	/** Lower case. */
	readonly address: string;
}

/** One live code per tenant, purpose, and address, and the times of mails to an address. */
export interface EmailCodeStore {
	/**
	 * Inside a transaction, before the mail is written: counts it in one conditional statement, across all tenants.
	 * Refuses when the address received one within `CODE_RESEND_SECONDS` or `CODE_SENDS_PER_HOUR` within the hour.
	 */
	countSend(mail: CountedMail, nowMs: number): Promise<SendRefusal | undefined>;
	/** Replaces the code by a new one with all its attempts. */
	put(code: NewEmailCode): Promise<void>;
	/**
	 * Inside a transaction: compares and counts in one statement, so that concurrent guesses never exceed `CODE_TRIES`
	 * wrong ones. A correct code is not counted.
	 * @returns `"dead"` if there is no live code; nothing is counted in that case.
	 */
	tryCode(code: EmailCodeKey, codeDigest: string, nowMs: number): Promise<"right" | "wrong" | "dead">;
	/** @returns true for exactly one of concurrent callers. */
	consume(code: EmailCodeKey, codeDigest: string, nowMs: number): Promise<boolean>;
	/** Deletes expired codes, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
	/** Deletes the times of mails that no longer count, for at most `limit` addresses. */
	purgeSends(nowMs: number, limit: number): Promise<number>;
}

/** The limit that an address has reached, and when the next mail to it is allowed. */
export interface SendRefusal {
	readonly limit: number;
	readonly retryAtMs: number;
}

/** The error for an address that has received too many mails for any purpose. */
export function tooManyMails({ limit, retryAtMs }: SendRefusal, nowMs: number): AppError {
	const seconds = secondsUntil(retryAtMs, nowMs);
	return tooMany("code.too_many", "too many mails to this address", { limit, seconds });
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
