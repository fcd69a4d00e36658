// Mail: what can be said to whom, the outbox it waits in, and the transport it leaves by.

import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import { rateLimitKey } from "../../kernel/ip.ts";

/** The languages mails are written in. */
export type Locale = "en" | "zh-CN";

const ACCEPT_LANGUAGE_MAX_LENGTH = 1_000;
const LANGUAGE_RANGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)$/;
const QUALITY = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The language for the sender of an `Accept-Language` header (RFC 9110, 12.5.4): the range with the highest
 * weight that is English or Simplified Chinese (`zh`, `zh-CN`, `zh-SG`, `zh-Hans…`), the first of equals;
 * English when there is none. A range that is not well formed is passed over. Reads at most 1000 characters.
 */
export function parseLocale(acceptLanguage: string | undefined): Locale {
	let best: Locale = "en";
	let bestWeight = 0;
	for (const part of (acceptLanguage ?? "").slice(0, ACCEPT_LANGUAGE_MAX_LENGTH).toLowerCase().split(",")) {
		const [range = "", ...parameters] = part.split(";").map((piece) => piece.trim());
		const locale = LANGUAGE_RANGE.test(range) ? localeOf(range) : undefined;
		const weight = weightOf(parameters);
		if (locale !== undefined && weight !== undefined && weight > bestWeight) {
			best = locale;
			bestWeight = weight;
		}
	}
	return best;
}

function localeOf(range: string): Locale | undefined {
	if (range === "*" || range === "en" || range.startsWith("en-")) return "en";
	if (range === "zh" || /^zh-(?:hans|cn|sg)(?:-|$)/.test(range)) return "zh-CN";
	return undefined;
}

function weightOf(parameters: readonly string[]): number | undefined {
	if (parameters.length === 0) return 1;
	const quality = parameters.length === 1 ? QUALITY.exec(parameters[0] ?? "") : null;
	return quality === null ? undefined : Number(quality[1]);
}

/**
 * The parameters of every kind of mail. To add a kind: one entry here, its wording in a `*-messages.ts` file,
 * one line in `messages.ts`. Texts that people entered may hold anything; rendering makes them harmless.
 */
export interface MailKinds {
	/** To the applicant, at once. `withdrawUrl` carries a token. */
	access_request_receipt: { applicantName: string; projectName: string; withdrawUrl: string };
	/** To each reviewer. */
	access_request_notice: {
		applicantName: string;
		email: string;
		company: string;
		projectName: string;
		purpose: string;
		requestId: string;
	};
	/** To the applicant. `claimUrl` carries a token; `claimExpiresAt` is an ISO 8601 time. */
	access_request_approved: {
		applicantName: string;
		projectName: string;
		reviewNote: string;
		claimUrl: string;
		claimExpiresAt: string;
	};
	/** To the applicant. */
	access_request_rejected: { applicantName: string; projectName: string; reviewNote: string };
	/** To the address being proved. Not delivered after it has expired. */
	registration_code: { code: string; expiresInMinutes: number };
	/** To the owner of an address with which somebody tried to register again. */
	account_exists: { username: string };
	/** To whoever asked for the client. Not delivered once it has expired. */
	api_client_expires: { ownerName: string; clientName: string; expiresAt: string };
	/** To whoever asked for the client. `previousExpiresAt` is `""` when the old Secret died at once. */
	api_client_secret_rotated: {
		ownerName: string;
		clientName: string;
		at: string;
		ip: string;
		previousExpiresAt: string;
	};
	/** To the account's owner. `at` is an ISO 8601 time. */
	password_changed: { username: string; at: string };
	/** To the account's owner. `resetUrl` carries a token. Not delivered after it has expired. */
	password_reset: { username: string; resetUrl: string; expiresInMinutes: number };
	/** To the address an account is to move to. Not delivered after it has expired. */
	email_change_code: { username: string; code: string; expiresInMinutes: number };
	/** To the owner of an address to which somebody tried to move another account. */
	email_change_taken: { username: string };
	/** To the address an account has left. `restoreUrl` carries a token, or is `""` where there is no way back. */
	email_changed: { username: string; at: string; restoreUrl: string; restoreEndsAt: string };
	/** To an address that took its account back. `resetUrl` carries a token. */
	email_restored: { username: string; resetUrl: string; expiresInMinutes: number };
	/** To the account's owner. `at` is an ISO 8601 time. */
	new_device: { username: string; device: string; ip: string; at: string };
	/** To the account's owner. `name` is that of a passkey, else `""`. */
	second_factor_changed: { username: string; at: string; change: SecondFactorChange; name: string };
	/** To the account's owner. */
	recovery_code_used: { username: string; at: string; left: number };
	/** To the account's owner: somebody knows the password and guesses at the codes. */
	second_factor_guessed: { username: string; at: string };
	/** To the account's owner. `provider` as people know it. */
	third_party_account_linked: { username: string; at: string; provider: string };
}

export type SecondFactorChange =
	| "totp_added"
	| "totp_removed"
	| "passkey_added"
	| "passkey_removed"
	| "recovery_codes_renewed"
	| "reset";

export type MailKind = keyof MailKinds;

/** One kind with its parameters, told apart by `kind`; plain JSON, so that it can be stored. */
export type MailMessage<K extends MailKind = MailKind> = { [P in K]: { kind: P } & MailKinds[P] }[K];

/** A mail to be sent. `to` is one address, never a list; `toName` is shown beside it. */
export interface NewMail {
	readonly tenantId: string;
	readonly to: string;
	readonly toName?: string;
	readonly locale: Locale;
	readonly message: MailMessage;
}

/** A mail in the outbox; `id` (UUIDv7) also makes its Message-ID, so that every attempt carries the same one. */
export interface OutboxMail extends NewMail {
	readonly id: string;
	readonly createdAtMs: number;
}

/** A mail handed out for one attempt; `attempts` counts the claims of it so far, this one included. */
export interface ClaimedMail extends OutboxMail {
	readonly attempts: number;
}

/** Associated data of a mail's sealed payload. */
export function mailContext(mailId: string): string {
	return `mail:${mailId}`;
}

/** RFC 2606: a name that never exists, so nothing sent there arrives. The address of whoever has none. */
const NOWHERE = ".invalid";

/** Whether a mail to this address could ever arrive. */
export function isReachable(address: string): boolean {
	return !address.toLowerCase().endsWith(NOWHERE);
}

/** Where use cases put mail. */
export interface MailOutbox {
	/**
	 * Writes the mail as due at once, in the transaction of the stores this belongs to: it exists if and only if
	 * that transaction commits. Recipient and message are sealed as they are written, because a message may carry a
	 * token. Sends nothing itself; tell the delivery job after the commit. One that could never arrive is dropped.
	 */
	put(mail: NewMail): Promise<void>;
	/** The same work for a mail that nobody gets: whether somebody exists must not show in the time of an answer. */
	putNothing(mail: NewMail): Promise<void>;
}

/** How many requests an address may make that cause mail, over all routes and nodes. */
export interface MailAllowanceStore {
	/**
	 * Inside a transaction: counts a request, unless `perHour` of them are spent. A spent one is earned again after an
	 * hour's `perHour`th part, so that nobody is kept out for long. One statement decides.
	 *
	 * @returns undefined, or when the next is earned.
	 */
	take(tenantId: string, ip: string, perHour: number, nowMs: number): Promise<number | undefined>;
	/** Deletes those who have earned all of theirs again, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

export interface MailLimit {
	readonly clock: Clock;
	/** 0: no limit. */
	readonly mailsPerHour: number;
}

/**
 * To be called in the transaction that writes the mail, before anything else. IPv6 counts by /64. The answer depends on
 * the caller's address alone, never on whom the mail is for.
 *
 * @throws AppError `mail.too_many`.
 */
export async function takeMailAllowance(
	allowances: MailAllowanceStore,
	{ clock, mailsPerHour }: MailLimit,
	tenantId: string,
	ip: string,
): Promise<void> {
	if (mailsPerHour === 0) return;
	const now = clock();
	const nextMs = await allowances.take(tenantId, rateLimitKey(ip), mailsPerHour, now);
	if (nextMs === undefined) return;
	const seconds = Math.max(1, Math.ceil((nextMs - now) / SECOND_MS));
	throw new AppError(
		"mail.too_many",
		`too many mails asked for from your address, try again in ${seconds} s`,
		{
			retryAfterSeconds: seconds,
			headers: {
				"ratelimit-limit": String(mailsPerHour),
				"ratelimit-remaining": "0",
				"ratelimit-reset": String(seconds),
			},
		},
	);
}

/**
 * The outbox as delivery sees it. Each call is one short transaction of its own, and says nothing about a mail that
 * is no longer due (marking one twice has no effect). `error` texts are plain, at most 500 characters, and safe to store.
 *
 * @throws AppError `service.unavailable` from every call while the database is away.
 */
export interface MailQueue {
	/**
	 * Takes up to `limit` mails with `next_attempt_at ≤ nowMs`, the longest due first, over all tenants. In one atomic
	 * step each taken row has its `next_attempt_at` set to `nowMs + leaseMs` and its `attempts` raised by one, so no
	 * second caller, on whatever node, is given it before the lease is over, and the mail of a process that died comes
	 * back by itself. Two simultaneous calls never return the same row and do not wait for each other's rows.
	 * A row whose payload cannot be opened or read is marked failed and left out: it must not block the rest.
	 */
	claimDue(nowMs: number, limit: number, leaseMs: number): Promise<readonly ClaimedMail[]>;
	/**
	 * The lease of a mail this caller claimed ends at `untilMs`. False, and nothing is changed, when it is no longer its own: the
	 * lease was over and somebody else has claimed the mail, or it is done.
	 */
	extendLease(mail: Pick<ClaimedMail, "id" | "attempts">, untilMs: number): Promise<boolean>;
	/** Final. Erases recipient and message in the same statement; only id, tenant, times and attempts remain. */
	markSent(id: string, nowMs: number): Promise<void>;
	/** Ends the lease; due again at `nextAttemptAtMs`. */
	markRetry(id: string, nextAttemptAtMs: number, error: string): Promise<void>;
	/** As `markRetry`, and takes back the attempt the claim counted: the transport was away, the mail is not to blame. */
	postpone(id: string, nextAttemptAtMs: number, error: string): Promise<void>;
	/** Final. Erases recipient and message like `markSent`; keeps `error` for whoever looks for the reason. */
	markFailed(id: string, nowMs: number, error: string): Promise<void>;
	/** When the next mail falls due or a lease ends (may be past); undefined when none waits. Cheap: read every few seconds. */
	nextDueAtMs(): Promise<number | undefined>;
}

/** How much mail waits, for those who watch the service. */
export interface MailBacklog {
	/** Mails not yet sent or given up, those between two attempts included. Reads an index as long as the backlog. */
	countWaiting(): Promise<number>;
}

/** One mailbox. `name` may be empty. */
export interface MailAddress {
	readonly name: string;
	readonly address: string;
}

const ADDRESS_MAX_LENGTH = 254;
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)*[A-Za-z0-9-]{1,63}$/;

/**
 * Whether the text is exactly one plain ASCII address, at most 254 characters: no list, no display name, no quoted
 * part, no comment, no address literal. The last check before an address reaches a mail server.
 */
export function isMailAddress(text: string): boolean {
	return text.length <= ADDRESS_MAX_LENGTH && ADDRESS.test(text);
}

/** A mail ready to leave, the same at every attempt. Header values hold no control characters. */
export interface RenderedMail {
	/** The outbox id. */
	readonly id: string;
	/** With its angle brackets. */
	readonly messageId: string;
	readonly createdAtMs: number;
	readonly locale: Locale;
	readonly from: MailAddress;
	readonly to: MailAddress;
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	/** Further headers, by name. */
	readonly headers: Readonly<Record<string, string>>;
}

/** Deliveries under way at the same time, at most, those stuck in a slow one included; a transport must bear as many. */
export const MAIL_UNDER_WAY_MAX = 16;

/** How mail leaves. Bears `MAIL_UNDER_WAY_MAX` sends at the same time. */
export interface MailTransport {
	/**
	 * Resolves once the mail is in the next hands (accepted by the server, or on disk). An aborted `signal` ends it.
	 * `beforeHandover` is awaited when all that is left is the message itself, and its rejection ends the attempt; a
	 * transport to which the same mail may be sent twice without harm leaves it out.
	 *
	 * @throws MailDeliveryError
	 */
	send(mail: RenderedMail, signal?: AbortSignal, beforeHandover?: () => Promise<void>): Promise<void>;
	/** Resolves when mail can leave now; takes at most half a minute. @throws MailDeliveryError about the transport. */
	verify(): Promise<void>;
	/** Lets go of every connection, also one in the middle of a delivery. */
	close(): void;
}

/**
 * Whom a failed attempt tells about: this `mail` (its recipient or content was answered with a refusal), the
 * `transport` (no mail can leave: unreachable, wrong login, bad certificate), or `unclear` (the line went silent or
 * was cut in the middle: the recipient's fault or the server's; `verify` tells).
 */
export type DeliveryFault = "mail" | "transport" | "unclear";

/** Why a mail did not leave. `permanent`: the same mail would be refused again. The message is for operators. */
export class MailDeliveryError extends Error {
	readonly fault: DeliveryFault;
	readonly permanent: boolean;

	constructor(fault: DeliveryFault, permanent: boolean, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "MailDeliveryError";
		this.fault = fault;
		this.permanent = permanent;
	}
}
