// The audit trail: appends and reads events.

import type { Actor, Origin } from "../kernel/origin.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { AuditAction } from "./audit-action.ts";
import type { ChainHead } from "./audit-chain.ts";
import type { AuditChanges, AuditValue } from "./audit-changes.ts";
import type { AuditTarget } from "./audit-target.ts";
import type { Caller } from "./caller.ts";

/** The actor, as an audit event records it. */
export type AuditCaller = Pick<Caller, "tenantId" | "actor" | "actorName" | "origin">;

export type AuditDetails = Readonly<Record<string, AuditValue>>;

/** An event to append. `details` is small and flat, and never contains a secret, token, or password. */
export interface AuditEntry {
	readonly tenantId: string;
	readonly actor: Actor;
	readonly actorName: string;
	readonly action: AuditAction;
	/** The object of the action as `noun:<id>`, e.g. `user:0190…`; `""` when there is none. */
	readonly target: string;
	readonly targetName: string;
	readonly origin: Origin;
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
	/** JSON text, the exact bytes that were hashed. */
	readonly details: string;
	/** What the hash covers: 1 for events from versions before 0.2, which have no names and no changes; otherwise 2. */
	readonly chainVersion: number;
	/** Names of actor and target at the time of the event, at most 200 characters; `""` without one. */
	readonly actorName: string;
	readonly targetName: string;
	/** JSON text of `AuditChanges`, the exact bytes that were hashed; at most 4 KiB. */
	readonly changes: string;
	/** SHA-256, hex, over the previous event's hash and this event. */
	readonly hash: string;
}

/** Filters of `GET /audit-events`; times in milliseconds, `fromMs` inclusive, `toMs` exclusive. */
export interface AuditQuery {
	readonly tenantId: string;
	readonly actor?: string | undefined;
	readonly actorName?: string | undefined;
	readonly action?: string | undefined;
	readonly target?: string | undefined;
	readonly targetName?: string | undefined;
	readonly requestId?: string | undefined;
	/** Canonical text. */
	readonly ip?: string | undefined;
	readonly fromMs?: number | undefined;
	readonly toMs?: number | undefined;
}

/** Call inside the transaction of the change, so that both commit or neither does. */
export interface AuditLog {
	/**
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
	/** The end of the tenant's chain; undefined before its first event. */
	findHead(tenantId: string): Promise<ChainHead | undefined>;
}
