// An audit event: who did what to which thing, from where. Append-only and hash-chained within a tenant.

import type { Actor, Origin } from "../../kernel/origin.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";

/** What a use case reports. `details` is small, flat and never holds a secret, a token or a password. */
export interface AuditEntry {
	readonly tenantId: string;
	readonly actor: Actor;
	/** `noun.verb`, past tense: `access_request.approved`, `user.signed_in`, `api_client.secret_regenerated`. */
	readonly action: string;
	/** `noun:<id>` of the thing acted upon, e.g. `user:0190…`; `""` when there is none. */
	readonly target: string;
	readonly origin: Origin;
	readonly details?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

export interface AuditEvent {
	readonly id: string;
	readonly tenantId: string;
	/** From 1, without gaps, within the tenant. */
	readonly sequence: number;
	readonly atMs: number;
	readonly actor: string;
	readonly action: string;
	readonly target: string;
	readonly ip: string;
	readonly requestId: string;
	/** JSON text, exactly the bytes that were hashed. */
	readonly details: string;
	/** SHA-256, hex, over the previous event's hash and this event. */
	readonly hash: string;
}

/** Filters of `GET /audit-events`; times in milliseconds, `fromMs` inclusive, `toMs` exclusive. */
export interface AuditQuery {
	readonly tenantId: string;
	readonly actor?: string;
	readonly action?: string;
	readonly target?: string;
	readonly fromMs?: number;
	readonly toMs?: number;
}

/** Place and hash of the newest event, kept apart from the events: it shows when the newest are removed. */
export interface ChainHead {
	readonly sequence: number;
	readonly hash: string;
}

/**
 * Where a trail begins when all up to there was removed: the service's signed word that the event with this number
 * and hash was the last of them.
 */
export interface Checkpoint extends ChainHead {
	readonly tenantId: string;
	/** A signed statement of tenant, sequence and hash (`checkpoint.ts`). */
	readonly statement: string;
	readonly createdAtMs: number;
}

export interface CheckpointStore {
	/** The one with the greatest sequence. */
	findNewest(tenantId: string): Promise<Checkpoint | undefined>;
	/** The same of every tenant that has one. */
	listNewest(): Promise<Checkpoint[]>;
	/**
	 * Inside a transaction: writes the checkpoint and removes the events up to it.
	 * @returns how many; undefined when there is such a checkpoint already.
	 */
	prune(checkpoint: Checkpoint): Promise<number | undefined>;
}

/** Append inside the transaction of the change, so that neither exists without the other. */
export interface AuditLog {
	append(entry: AuditEntry): Promise<void>;
}

export interface AuditTrail {
	list(query: AuditQuery, page: PageQuery): Promise<Page<AuditEvent>>;
	/** Matching events in chain order, `after` exclusive and `upTo` inclusive, at most `limit`. */
	listMatching(
		query: AuditQuery,
		sequences: { readonly after: number; readonly upTo: number },
		limit: number,
	): Promise<AuditEvent[]>;
	/** Events of a tenant in chain order after `sequence`, at most `limit`. */
	listChain(tenantId: string, afterSequence: number, limit: number): Promise<AuditEvent[]>;
	/** Where the tenant's chain ends; undefined before its first event. */
	findHead(tenantId: string): Promise<ChainHead | undefined>;
}
