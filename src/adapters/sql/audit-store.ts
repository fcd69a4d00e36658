// The audit trail in SQL: append-only, one hash chain a tenant.

import type {
	AuditEntry,
	AuditEvent,
	AuditLog,
	AuditQuery,
	AuditTrail,
	ChainHead,
} from "../../features/audit/model.ts";
import type { Total } from "./counted-tables.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { queueWebhookDeliveries } from "./webhook-delivery-store.ts";

interface AuditRow {
	id: string;
	tenant_id: string;
	sequence: number;
	at: number;
	actor: string;
	action: string;
	target: string;
	ip: string;
	request_id: string;
	details: string;
	hash: string;
}

const COLUMNS = "id, tenant_id, sequence, at, actor, action, target, ip, request_id, details, hash";

export interface AuditStoreOptions {
	readonly nowMs: () => number;
	readonly newId: () => string;
	/** `features/audit/chain.ts` says what is hashed. */
	readonly chainHash: (previousHash: string, event: Omit<AuditEvent, "hash">) => string;
}

export function createAuditStore(queries: Queries, options: AuditStoreOptions): AuditLog & AuditTrail {
	return {
		append: (entry) => append(queries, options, entry),
		list(query, page) {
			const filter = matching(query);
			const total = filter.parameters.length === 1 ? totalOfTrail(query.tenantId) : undefined;
			return listPage<AuditRow, AuditEvent>(
				queries,
				{ columns: COLUMNS, from: "audit_events", order: "sequence DESC", filter, total },
				page,
				toEvent,
			);
		},
		async listMatching(query, { after, upTo }, limit) {
			const filter = matching(query).add("sequence > ?", after).add("sequence <= ?", upTo);
			const rows = await queries.all<AuditRow>(
				`SELECT ${COLUMNS} FROM audit_events ${filter.where} ORDER BY sequence LIMIT $${filter.parameters.length + 1}`,
				...filter.parameters,
				limit,
			);
			return rows.map(toEvent);
		},
		async listChain(tenantId, afterSequence, limit) {
			const rows = await queries.all<AuditRow>(
				`SELECT ${COLUMNS} FROM audit_events WHERE tenant_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
				tenantId,
				afterSequence,
				limit,
			);
			return rows.map(toEvent);
		},
		findHead: (tenantId) =>
			queries.one<ChainHead>("SELECT sequence, hash FROM audit_heads WHERE tenant_id = $1", tenantId),
	};
}

/** A trail has no gaps, so its two ends tell how long it is. */
function totalOfTrail(tenantId: string): Total {
	const end = (which: "min" | "max"): string =>
		`(SELECT ${which}(sequence) FROM audit_events WHERE tenant_id = $1)`;
	return { sql: `SELECT coalesce(${end("max")} - ${end("min")} + 1, 0) AS total`, parameters: [tenantId] };
}

function matching({ tenantId, actor, action, target, fromMs, toMs }: AuditQuery): Filter {
	return new Filter()
		.add("tenant_id = ?", tenantId)
		.maybe("actor = ?", actor)
		.maybe("action = ?", action)
		.maybe("target = ?", target)
		.maybe("at >= ?", fromMs)
		.maybe("at < ?", toMs);
}

async function append(
	queries: Queries,
	{ nowMs, newId, chainHash }: AuditStoreOptions,
	entry: AuditEntry,
): Promise<void> {
	// Raising the head's sequence takes its lock until the commit: events of one tenant join the chain one by one.
	const head = await queries.one<{ sequence: number; hash: string }>(
		`INSERT INTO audit_heads (tenant_id, sequence, hash) VALUES ($1, 1, '')
		 ON CONFLICT (tenant_id) DO UPDATE SET sequence = audit_heads.sequence + 1 RETURNING sequence, hash`,
		entry.tenantId,
	);
	if (head === undefined) throw new Error("the audit chain's head could not be raised");
	const event = {
		id: newId(),
		tenantId: entry.tenantId,
		sequence: head.sequence,
		atMs: nowMs(),
		actor: entry.actor,
		action: entry.action,
		target: entry.target,
		ip: entry.origin.ip,
		requestId: entry.origin.requestId,
		details: JSON.stringify(entry.details ?? {}),
	};
	const hash = chainHash(head.hash, event);
	await queries.run(
		`INSERT INTO audit_events (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		event.id,
		event.tenantId,
		event.sequence,
		event.atMs,
		event.actor,
		event.action,
		event.target,
		event.ip,
		event.requestId,
		event.details,
		hash,
	);
	await queries.run("UPDATE audit_heads SET hash = $2 WHERE tenant_id = $1", entry.tenantId, hash);
	await queueWebhookDeliveries(queries, event.id, entry, event.atMs);
}

function toEvent(row: AuditRow): AuditEvent {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		sequence: row.sequence,
		atMs: row.at,
		actor: row.actor,
		action: row.action,
		target: row.target,
		ip: row.ip,
		requestId: row.request_id,
		details: row.details,
		hash: row.hash,
	};
}
