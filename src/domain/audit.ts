// The audit trail: appends and reads events.

import type { Actor, Origin } from "../kernel/origin.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { AuditAction } from "./audit-action.ts";
import type { ChainHead } from "./audit-chain.ts";
import type { Caller } from "./caller.ts";

/** Who acts, as an audit event records it. */
export type AuditCaller = Pick<Caller, "tenantId" | "actor" | "origin">;

export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** One event before it is written. `details` is small, flat and never holds a secret, a token or a password. */
export interface AuditEntry {
	readonly tenantId: string;
	readonly actor: Actor;
	readonly action: AuditAction;
	/** The object of the action as `noun:<id>`, e.g. `user:0190…`; `""` when there is none. */
	readonly target: string;
	readonly origin: Origin;
	readonly details: AuditDetails;
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

/** Call it inside the transaction of the change, so that both are committed or neither is. */
export interface AuditLog {
	/**
	 * @param target the object of the action as `noun:<id>`, `""` when there is none.
	 * @param details small and flat; never a secret, a token or a password.
	 */
	append(caller: AuditCaller, action: AuditAction, target: string, details?: AuditDetails): Promise<void>;
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
