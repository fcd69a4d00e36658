// The audit trail in SQL: append-only, with one hash chain per tenant.

import {
	type AuditDetails,
	type AuditEntry,
	type AuditEvent,
	type AuditLog,
	type AuditQuery,
	type AuditTrail,
	CHAIN_VERSION,
	type ChainHead,
} from "../../domain/audit.ts";
import { changesText, cutText } from "../../domain/audit-changes.ts";
import type { Filter } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import type { Total } from "../sql/row-counts.ts";
import { auditEvents, auditHeads } from "../sql/tables/record-tables.ts";
import { queueWebhookDeliveries } from "./webhook-delivery-store.ts";

export interface AuditStoreOptions {
	readonly nowMs: () => number;
	readonly newId: () => string;
	/** Defined in `features/record/audit/chain.ts`. */
	readonly chainHash: (previousHash: string, event: Omit<AuditEvent, "hash">) => string;
}

const NO_TARGET = { ref: "", name: "" };
const heads = auditHeads.pick("sequence", "hash");

export function createAuditStore(queries: Queries, options: AuditStoreOptions): AuditLog & AuditTrail {
	return {
		append(caller, action, target, details = {}, changes = {}) {
			const { ref, name } = target === "" ? NO_TARGET : target;
			const { tenantId, actor, actorName, origin } = caller;
			const named = { target: ref, targetName: cutText(name), actorName: cutText(actorName) };
			return append(queries, options, { tenantId, actor, origin, action, details, changes, ...named });
		},
		list(query, page) {
			const filter = matching(query);
			const total = filter.parameters.length === 1 ? totalOfTrail(query.tenantId) : undefined;
			// Each filter has an index, their combinations do not.
			if (filter.parameters.length > 2) filter.separately();
			return auditEvents.list(queries, { filter, order: orderOf(query), total }, page);
		},
		listMatching(query, { after, upTo }, limit) {
			const filter = matching(query).add("sequence > ?", after).add("sequence <= ?", upTo);
			const condition = `${filter.condition} ORDER BY sequence LIMIT $${filter.parameters.length + 1}`;
			return auditEvents.all(queries, condition, ...filter.parameters, limit);
		},
		listChain: (tenantId, afterSequence, limit) =>
			auditEvents.all(
				queries,
				"tenant_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
				tenantId,
				afterSequence,
				limit,
			),
		findHead: (tenantId) => heads.find(queries, { tenantId }),
	};
}

/** A trail has no gaps, so its first and last sequence give its length. */
function totalOfTrail(tenantId: string): Total {
	const end = (which: "min" | "max"): string =>
		`(SELECT ${which}(sequence) FROM audit_events WHERE tenant_id = $1)`;
	return { sql: `SELECT coalesce(${end("max")} - ${end("min")} + 1, 0) AS total`, parameters: [tenantId] };
}

/**
 * Newest first. A period is ordered by time, like the index over time: the order of the chain differs only where the clock was
 * set back, but would sort all events of the period. Exact filters leave few events, which are read in chain order.
 */
function orderOf(query: AuditQuery): string {
	const { fromMs, toMs, actor, actorName, target, targetName, requestId, ip } = query;
	const isPeriod = fromMs !== undefined || toMs !== undefined;
	const isExact = [actor, actorName, target, targetName, requestId, ip].some((value) => value !== undefined);
	return isPeriod && !isExact ? "at DESC, sequence DESC" : "sequence DESC";
}

/** `<> ''` is written as text, because the planner cannot use the partial indexes with a parameter. */
function matching(query: AuditQuery): Filter {
	const { tenantId, actor, actorName, action, target, targetName, requestId, ip, fromMs, toMs } = query;
	return auditEvents
		.matching({ tenantId })
		.maybe("actor = ?", actor)
		.maybe("actor_name = ? AND actor_name <> ''", actorName)
		.maybe("action = ?", action)
		.maybe("target = ?", target)
		.maybe("target_name = ? AND target_name <> ''", targetName)
		.maybe("request_id = ? AND request_id <> ''", requestId)
		.maybe("ip = ? AND ip <> ''", ip)
		.maybe("at >= ?", fromMs)
		.maybe("at < ?", toMs);
}

/** If a client relayed the IP address, the client is recorded too. */
function detailsOf({ details, origin: { relayedBy } }: AuditEntry): AuditDetails {
	return relayedBy === undefined ? details : { ...details, relayed_by: relayedBy };
}

async function append(
	queries: Queries,
	{ nowMs, newId, chainHash }: AuditStoreOptions,
	entry: AuditEntry,
): Promise<void> {
	const { tenantId, actor, actorName, action, target, targetName, origin } = entry;
	const { sequence, hash: previousHash } = await raiseHead(queries, tenantId);
	const { ip, requestId } = origin;
	const details = JSON.stringify(detailsOf(entry));
	const event = {
		id: newId(),
		tenantId,
		sequence,
		atMs: nowMs(),
		actor,
		action,
		target,
		ip,
		requestId,
		details,
		chainVersion: CHAIN_VERSION,
		actorName,
		targetName,
		changes: changesText(entry.changes),
	};
	const hash = chainHash(previousHash, event);
	await auditEvents.insert(queries, { ...event, hash });
	await auditHeads.update(queries, { hash }, { tenantId });
	await queueWebhookDeliveries(queries, event.id, entry, event.atMs);
}

/**
 * Locks the head until the commit, so that the events of a tenant join the chain one by one. If two transactions append the
 * first event at once on PostgreSQL, the second one waits and then raises the head of the first.
 */
async function raiseHead(queries: Queries, tenantId: string): Promise<ChainHead> {
	const raise =
		"UPDATE audit_heads SET sequence = sequence + 1 WHERE tenant_id = $1 RETURNING sequence, hash";
	const begin = `INSERT INTO audit_heads (tenant_id, sequence, hash) VALUES ($1, 1, '')
		 ON CONFLICT (tenant_id) DO UPDATE SET sequence = audit_heads.sequence + 1 RETURNING sequence, hash`;
	const head =
		(await queries.one<ChainHead>(raise, tenantId)) ?? (await queries.one<ChainHead>(begin, tenantId));
	if (head === undefined) throw new Error("the head of the audit chain could not be raised");
	return head;
}
