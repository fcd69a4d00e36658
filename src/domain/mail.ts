// The mail outbox: use cases write mails, the delivery job claims them.

import { DAY_MS } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
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
	/** Attempts before the mail failed and was resent: its schedule restarts after them. */
	readonly earlierAttempts: number;
}

/**
 * How long one claim holds a mail. If a process dies, its mail waits this long. The clocks of nodes may differ by this
 * minus one renewal.
 */
export const MAIL_LEASE_MS = 10_000;

/** `waiting` includes mails that are being sent. */
export const MAIL_STATES = ["waiting", "sent", "failed"] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** Finished mails are listed for this long; failed ones can be resent until then. */
export const MAILS_KEPT_MS = 30 * DAY_MS;

/** A mail as administrators see it, without its content. */
export interface ListedMail {
	readonly id: string;
	readonly tenantId: string;
	readonly atMs: number;
	readonly to: string;
	readonly subject: string;
	readonly state: MailState;
	readonly attempts: number;
	/** Null unless the mail waits. */
	readonly nextAtMs: number | null;
	readonly lastError: string;
}

export interface MailFilter {
	readonly state?: MailState | undefined;
	/** The whole address, in lower case. */
	readonly to?: string | undefined;
	/** Of its creation: inclusive. */
	readonly fromMs?: number | undefined;
	/** Exclusive. */
	readonly toMs?: number | undefined;
}

export function mailNotFound(): AppError {
	return new AppError("mail.not_found", "no such mail");
}

/** Associated data of a mail's sealed payload. */
export function mailContext(mailId: string): string {
	return `mail:${mailId}`;
}

/** RFC 2606: this domain never exists. Used for accounts without an address. */
const NOWHERE = ".invalid";

/** Whether a mail to this address can arrive. */
export function isReachable(address: string): boolean {
	return !address.toLowerCase().endsWith(NOWHERE);
}

export interface MailOutbox {
	/**
	 * Writes the mail in the current transaction, due at once. Encrypts recipient and message, because a message may
	 * contain a token. Call `wakeMail` after the commit. Drops undeliverable mail.
	 */
	put(mail: NewMail): Promise<void>;
	/** Does the same work as `put` without sending, so that response times do not reveal whether an account exists. */
	putNothing(mail: NewMail): Promise<void>;
}

/**
 * The outbox for the delivery job. Each call is one short transaction, and has no effect on a finished mail. `error`
 * texts are plain, at most 500 characters, and safe to store.
 *
 * @throws AppError `service.unavailable` from every call while the database is unavailable.
 */
export interface MailQueue {
	/**
	 * Claims up to `limit` mails of all tenants with `next_attempt_at ≤ nowMs`, the longest due first. Atomically sets
	 * `next_attempt_at` of each to `nowMs + leaseMs` and increments `attempts`: no other node can claim it during the
	 * lease, and if this process dies, it becomes due again. Concurrent calls never return the same row or wait for each
	 * other. A row whose payload cannot be decrypted or parsed is marked failed and skipped.
	 */
	claimDue(nowMs: number, limit: number, leaseMs: number): Promise<readonly ClaimedMail[]>;
	/**
	 * Extends the lease of a claimed mail to `untilMs`. False when the caller no longer holds it: another process has
	 * claimed the mail, or it is finished.
	 */
	extendLease(mail: Pick<ClaimedMail, "id" | "attempts">, untilMs: number): Promise<boolean>;
	/** Final. Erases the content in the same statement; recipient and subject remain until the row is purged. */
	markSent(id: string, nowMs: number): Promise<void>;
	/** Ends the lease: due again at `nextAttemptAtMs`. */
	markRetry(id: string, nextAttemptAtMs: number, error: string): Promise<void>;
	/** Like `markRetry`, but does not count the attempt, because the transport was unavailable. */
	postpone(id: string, nextAttemptAtMs: number, error: string): Promise<void>;
	/** Final until `resend`. Keeps the encrypted content if `keepsContent`; otherwise erases it like `markSent`. */
	markFailed(id: string, nowMs: number, error: string, keepsContent: boolean): Promise<void>;
	/**
	 * When the next mail is due or a lease ends (may be past); undefined if none is waiting. Called every few seconds.
	 */
	nextDueAtMs(): Promise<number | undefined>;
}

export interface MailBacklog {
	/** Mails that are neither sent nor failed. Reads one index entry per waiting mail. */
	countWaiting(): Promise<number>;
	/** When the oldest of them was written; undefined if none is waiting. */
	oldestWaitingAtMs(): Promise<number | undefined>;
}

/** The mails of a tenant, for administrators. Undeliverable mails are not listed. */
export interface MailRecords {
	/** Newest first. */
	list(tenantId: string, filter: MailFilter, page: PageQuery): Promise<Page<ListedMail>>;
	findById(tenantId: string, id: string): Promise<ListedMail | undefined>;
	/** Undefined when its content was erased. @throws SecretBoxError when it cannot be decrypted. */
	findContent(tenantId: string, id: string): Promise<OutboxMail | undefined>;
	/**
	 * Makes a failed mail due with a new schedule, and a waiting one between two attempts due now; does not interrupt an
	 * attempt. @returns false when the mail is sent or its content erased.
	 */
	resend(tenantId: string, id: string, nowMs: number): Promise<boolean>;
	/** Deletes up to `limit` mails that finished before this time. @returns how many. */
	purge(finishedBeforeMs: number, limit: number): Promise<number>;
}
