// The audit trail of a tenant: events, their targets, and the hash chain with its checkpoints.

import { DAY_MS } from "../kernel/clock.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { AuditAction } from "./audit-action.ts";
import type { AuditChanges, AuditValue } from "./audit-changes.ts";
import type { Caller } from "./caller.ts";

/** The part of a caller that an audit event records. */
export type AuditCaller = Pick<Caller, "tenantId" | "actor" | "actorName" | "onBehalfOf" | "origin">;

export type AuditDetails = Readonly<Record<string, AuditValue>>;

/** An event to append. `details` is small and flat, and never contains a secret, token, or password. */
export interface AuditEntry extends AuditCaller {
	readonly action: AuditAction;
	/** The object of the action as `noun:<id>`, e.g. `user:0190…`; `""` when there is none. */
	readonly target: string;
	readonly targetName: string;
	readonly details: AuditDetails;
	readonly changes: AuditChanges;
}

export interface AuditEvent {
	readonly id: string;
	readonly tenantId: string;
	/** From 1, without gaps, within the tenant. */
	readonly sequence: number;
	readonly atMs: number;
	readonly actor: string;
	/** One of `AUDIT_ACTIONS`, or an action of another version. */
	readonly action: string;
	readonly target: string;
	readonly ip: string;
	readonly requestId: string;
	/** JSON text. The hash covers the stored text, in which words about users are sealed (`sealed-audit.ts`). */
	readonly details: string;
	/** The version of the encoding that the hash covers: `CHAIN_VERSION`. */
	readonly chainVersion: number;
	/** Names of actor and target at the time of the event, at most 200 characters; `""` without one or if it was deleted. */
	readonly actorName: string;
	readonly targetName: string;
	/** JSON text of `AuditChanges`; at most 4 KiB. */
	readonly changes: string;
	/** SHA-256, hex, over the previous event's hash and this event. */
	readonly hash: string;
}

/** Filters of `GET /audit-events`; times in milliseconds, `fromMs` inclusive, `toMs` exclusive. */
export interface AuditQuery {
	readonly tenantId: string;
	/** Of one event, which also tells its time. */
	readonly id?: string | undefined;
	readonly actor?: string | undefined;
	readonly actorName?: string | undefined;
	/** Any of them; empty for all. */
	readonly actions?: readonly string[] | undefined;
	readonly target?: string | undefined;
	readonly targetName?: string | undefined;
	readonly requestId?: string | undefined;
	/** Canonical text. */
	readonly ip?: string | undefined;
	readonly fromMs?: number | undefined;
	readonly toMs?: number | undefined;
}

/** How an event is hashed (`features/record/audit/chain.ts`). */
export interface AuditChain {
	digestOf(event: Omit<AuditEvent, "hash" | "sequence" | "atMs">): string;
	link(previousHash: string, digest: string, place: EventPlace): string;
}

/**
 * An event gets the time of the one before it if its own is earlier by up to this: nodes append in another order than they
 * read their clocks. Only a clock that is wrong by more than this separates the order of times from that of the chain.
 */
export const TIME_SKEW_MS = 1_000;

/** A latest event that is farther ahead of the clock is an error, which `latchkey doctor` reports, and does not count. */
export const TIME_AHEAD_MAX_MS = DAY_MS;

/** Where an event is in its trail. */
export type EventPlace = Pick<AuditEvent, "atMs" | "sequence">;

export interface AuditLog {
	/**
	 * Inside a transaction: the last statement of the transaction writes the event, so that both commit or neither does. Only
	 * that statement holds the end of the chain, for which the tenant's other changes wait: it serializes nothing before.
	 * With the event, it queues the deliveries of the tenant's webhooks that ask for this action.
	 *
	 * @param target the object of the action with its name; `""` without one.
	 * @param details small and flat; never a secret, a token, or a password.
	 * @param changes old and new values (`fieldChanges`); truncated to 4 KiB.
	 */
	append(
		caller: AuditCaller,
		action: AuditAction,
		target: AuditTarget,
		details?: AuditDetails,
		changes?: AuditChanges,
	): Promise<void>;
	/** Like `append`. @returns the id of the event. */
	appendReturningId(...entry: Parameters<AuditLog["append"]>): Promise<string>;
}

/** Events counted for one response; older ones of the period are left out. */
export const AUDIT_COUNTED_MAX = 200_000;

/** Counts of a period, of at most so many events. */
export interface AuditCounts {
	/** Only steps with events, by their start. */
	readonly totals: ReadonlyMap<number, number>;
	/** Older events of the period are not counted; the start of the period if all are. */
	readonly countedFromMs: number;
}

export interface AuditTrail {
	/** Newest first, by time: the order of the chain differs only where a clock was set back. */
	list(query: AuditQuery, page: PageQuery): Promise<Page<AuditEvent>>;
	/**
	 * Matching events by step. Reads no more than the newest `max` events of the period, whether they match or not: a trail has
	 * no gaps, so the range of their sequences bounds them.
	 */
	count(
		query: AuditQuery & { readonly fromMs: number; readonly toMs: number },
		stepMs: number,
		max: number,
	): Promise<AuditCounts>;
	/**
	 * Matching events, oldest first, `after` exclusive and `upTo` (a sequence) inclusive, at most `limit`. Without a filter in
	 * chain order; with one in the order of an index, by time.
	 */
	listMatching(
		query: AuditQuery,
		place: { readonly after: EventPlace; readonly upTo: number },
		limit: number,
	): Promise<AuditEvent[]>;
	/** Events of a tenant in chain order after `sequence`, at most `limit`; as stored, with sealed texts. */
	listChain(tenantId: string, afterSequence: number, limit: number): Promise<AuditEvent[]>;
	/** The end of the tenant's chain, including the events of this transaction; undefined before its first event. */
	findHead(tenantId: string): Promise<ChainHead | undefined>;
}

/** Nouns of targets. Trails are permanent: never change the meaning of a noun. */
export const AUDIT_NOUNS = {
	access_request: "the access request of",
	admin_key: "admin key",
	api_client: "API client",
	application: "application",
	application_role: "role",
	directory: "the directory of",
	domain: "domain",
	gate: "the gate of",
	group: "group",
	identity_provider: "identity provider",
	mail: "mail",
	master_key: "master key",
	oauth_client: "the OAuth client of",
	person_request: "the request for access to",
	program: "program",
	program_request: "the request for the program",
	review: "the review",
	session: "session",
	signing_key: "signing key",
	tenant: "tenant",
	user: "user",
	webhook: "the webhook of",
} as const;
export type AuditNoun = keyof typeof AUDIT_NOUNS;

export interface NamedTarget {
	/** `noun:<id>`, e.g. `user:0190…`. */
	readonly ref: `${AuditNoun}:${string}`;
	/** At the time of the event; `""` without a name. Never a secret: for a webhook, the host of its URL. */
	readonly name: string;
}

/** The id in `user:<id>`; undefined for other actors and targets. */
export function userIdIn(ref: string): string | undefined {
	return ref.startsWith("user:") ? ref.slice("user:".length) : undefined;
}

/** `""` if an action has no object, or an unknown one. */
export type AuditTarget = NamedTarget | "";

export function named(noun: AuditNoun, id: string, name: string): NamedTarget {
	return { ref: `${noun}:${id}`, name };
}

export function userTarget({
	id,
	username,
}: {
	readonly id: string;
	readonly username: string;
}): NamedTarget {
	return named("user", id, username);
}

/** The version of the encoding that the hash of a new event covers. */
export const CHAIN_VERSION = 3;

/** Sequence and hash of the newest event, stored apart from the events to detect the removal of the newest ones. */
export interface ChainHead {
	readonly sequence: number;
	readonly hash: string;
}

/**
 * Where a pruned trail starts: a signed statement that the event with this number and hash was the last removed one.
 */
export interface Checkpoint extends ChainHead {
	readonly tenantId: string;
	/** A signed statement of tenant, sequence, and hash (`checkpoint.ts`). */
	readonly statement: string;
	readonly createdAtMs: number;
}

/** A calendar month (UTC) whose events have a table of their own. */
export interface AuditMonth {
	readonly fromMs: number;
	/** Exclusive. */
	readonly toMs: number;
}

export interface CheckpointStore {
	/** The checkpoint with the greatest sequence. */
	findNewest(tenantId: string): Promise<Checkpoint | undefined>;
	/** The newest checkpoint of every tenant that has one. */
	listNewest(): Promise<Checkpoint[]>;
	/**
	 * Inside a transaction: writes the checkpoint and removes the events up to it.
	 * @returns the number of removed events; undefined when this checkpoint already exists.
	 */
	prune(checkpoint: Checkpoint): Promise<number | undefined>;
	/** Undefined on an engine that keeps all events in one table. */
	findOldestMonth(): Promise<AuditMonth | undefined>;
	/** The event before the first one, in the order of the chain, that is not older than `beforeMs`. */
	findLastBefore(tenantId: string, beforeMs: number): Promise<ChainHead | undefined>;
	/** Whether an event after this one, in the order of the chain, is older than `beforeMs`: a clock was wrong. */
	hasOlderAfter(tenantId: string, sequence: number, beforeMs: number): Promise<boolean>;
	/**
	 * Inside a transaction: writes the checkpoints and drops the oldest month. Writes nothing when the table is in use for longer
	 * than appends may wait (`busy`), and when the month has an event after the checkpoint of its trail (`kept`).
	 */
	dropMonth(month: AuditMonth, checkpoints: readonly Checkpoint[]): Promise<"dropped" | "busy" | "kept">;
}
