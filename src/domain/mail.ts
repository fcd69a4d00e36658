// The mail outbox: use cases write mails, the delivery job claims them.

import type { Locale } from "./locale.ts";
import type { MailMessage } from "./mail-message.ts";

/** A mail to send. `to` is one address, never a list; `toName` is the display name. */
export interface NewMail {
	readonly tenantId: string;
	readonly to: string;
	readonly toName?: string;
	readonly locale: Locale;
	readonly message: MailMessage;
}

/** A mail in the outbox. Its Message-ID contains `id` (UUIDv7), so that it is the same at every attempt. */
export interface OutboxMail extends NewMail {
	readonly id: string;
	readonly createdAtMs: number;
}

/** A mail claimed for one attempt; `attempts` counts its claims, including this one. */
export interface ClaimedMail extends OutboxMail {
	readonly attempts: number;
}

/** Associated data of a mail's sealed payload. */
export function mailContext(mailId: string): string {
	return `mail:${mailId}`;
}

/** RFC 2606: this domain never exists. Used in the addresses of accounts without one. */
const NOWHERE = ".invalid";

/** Whether a mail to this address can arrive. */
export function isReachable(address: string): boolean {
	return !address.toLowerCase().endsWith(NOWHERE);
}

export interface MailOutbox {
	/**
	 * Writes the mail in the current transaction, due at once. Recipient and message are sealed, because a message may
	 * carry a token. Call `wakeMail` after the commit. Drops a mail that can never arrive.
	 */
	put(mail: NewMail): Promise<void>;
	/** Does the same work without sending, so that the time of an answer does not reveal whether an account exists. */
	putNothing(mail: NewMail): Promise<void>;
}

/**
 * The outbox for the delivery job. Each call is one short transaction, and has no effect on a mail that is finished.
 * `error` texts are plain, at most 500 characters, and safe to store.
 *
 * @throws AppError `service.unavailable` from every call while the database is unavailable.
 */
export interface MailQueue {
	/**
	 * Claims up to `limit` mails of all tenants with `next_attempt_at ≤ nowMs`, the longest due first. Atomically sets
	 * `next_attempt_at` of each to `nowMs + leaseMs` and increments `attempts`: no other node can claim it during the
	 * lease, and when this process dies it is due again. Concurrent calls neither return the same row nor wait for each
	 * other. A row whose payload cannot be opened or parsed is marked failed and skipped.
	 */
	claimDue(nowMs: number, limit: number, leaseMs: number): Promise<readonly ClaimedMail[]>;
	/**
	 * Extends the lease of a claimed mail to `untilMs`. False when the caller does not hold it any more: another process
	 * has claimed the mail, or it is finished.
	 */
	extendLease(mail: Pick<ClaimedMail, "id" | "attempts">, untilMs: number): Promise<boolean>;
	/** Final. Erases recipient and message in the same statement; only id, tenant, times and attempts remain. */
	markSent(id: string, nowMs: number): Promise<void>;
	/** Ends the lease: due again at `nextAttemptAtMs`. */
	markRetry(id: string, nextAttemptAtMs: number, error: string): Promise<void>;
	/** As `markRetry`, without counting the attempt: the transport was unavailable. */
	postpone(id: string, nextAttemptAtMs: number, error: string): Promise<void>;
	/** Final. Erases recipient and message like `markSent`; keeps `error`. */
	markFailed(id: string, nowMs: number, error: string): Promise<void>;
	/** When the next mail falls due or a lease ends (may be past); undefined when none waits. Called every few seconds. */
	nextDueAtMs(): Promise<number | undefined>;
}

export interface MailBacklog {
	/** Mails that are neither sent nor failed. Reads an index as long as the backlog. */
	countWaiting(): Promise<number>;
}
