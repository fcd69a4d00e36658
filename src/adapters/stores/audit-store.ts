// The audit trail in SQL: append-only, with one hash chain per tenant.

import {
	type AuditCounts,
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
import { type Queries, statement } from "../sql/queries.ts";
import type { Total } from "../sql/row-counts.ts";
import { auditEvents, auditHeads } from "../sql/tables/record-tables.ts";
import { openTexts, sealedForms, sealTexts, type UserKeyOptions } from "./sealed-audit.ts";
import { queueWebhookDeliveries } from "./webhook-delivery-store.ts";

export interface AuditStoreOptions extends Pick<UserKeyOptions, "userCiphers" | "open"> {
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
		async list(query, page) {
			const filter = matching(await stored(queries, options, query));
			const total = filter.parameters.length === 1 ? totalOfTrail(query.tenantId) : undefined;
			// Each filter has an index, their combinations do not.
			if (filter.parameters.length > 2) filter.separately();
			const found = await auditEvents.list(queries, { filter, order: orderOf(query), total }, page);
			return { ...found, items: await openTexts(queries, options, found.items) };
		},
		async count(query, stepMs, max) {
			const { tenantId, fromMs, toMs } = query;
			const counted = await newestOf(queries, tenantId, fromMs, toMs, max);
			if (counted === undefined) return { totals: new Map(), countedFromMs: fromMs };
			const { countedFromMs, first, last } = counted;
			const { condition, parameters } = matching(
				await stored(queries, options, { ...query, fromMs: countedFromMs }),
			)
				.add("sequence >= ?", first)
				.add("sequence <= ?", last);
			const step = `at - at % $${parameters.length + 1}`;
			const sql = `SELECT ${step} AS step, count(*) AS total FROM audit_events WHERE ${condition} GROUP BY 1`;
			const rows = await queries.all<{ step: number; total: number }>(
				statement(sql, { reads: "separately" }),
				...parameters,
				stepMs,
			);
			return { totals: new Map(rows.map(({ step, total }) => [step, total])), countedFromMs };
		},
		async listMatching(query, { after, upTo }, limit) {
			const filter = matching(await stored(queries, options, query))
				.add("sequence > ?", after)
				.add("sequence <= ?", upTo);
			const condition = `${filter.condition} ORDER BY sequence LIMIT $${filter.parameters.length + 1}`;
			const found = await auditEvents.all(queries, condition, ...filter.parameters, limit);
			return await openTexts(queries, options, found);
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

/** By time, which the index holds with the sequence: a clock that went back separates the order of the chain from it. */
const NEWEST = statement(
	`SELECT min(at) AS "atMs", min(sequence) AS first, max(sequence) AS last, count(*) AS total FROM (
		SELECT at, sequence FROM audit_events WHERE tenant_id = $1 AND at >= $2 AND at < $3
		ORDER BY at DESC, sequence DESC LIMIT $4) AS newest`,
	{ reads: "separately" },
);

/** The range in the chain of the newest `max` events of a period; undefined if the period has none. */
async function newestOf(
	queries: Queries,
	tenantId: string,
	fromMs: number,
	toMs: number,
	max: number,
): Promise<(Pick<AuditCounts, "countedFromMs"> & Record<"first" | "last", number>) | undefined> {
	type Newest = Record<"atMs" | "first" | "last" | "total", number>;
	const [newest] = await queries.all<Newest>(NEWEST, tenantId, fromMs, toMs, max);
	if (newest === undefined || newest.total === 0) return undefined;
	const { atMs, first, last, total } = newest;
	const older = "tenant_id = $1 AND at >= $2 AND at < $3";
	const isCut = total === max && (await auditEvents.exists(queries, older, tenantId, fromMs, atMs));
	return { countedFromMs: isCut ? atMs : fromMs, first, last };
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

/** A query with the stored forms of its names: of users sealed, of clients and the like as they are. */
interface StoredQuery extends Omit<AuditQuery, "actorName" | "targetName"> {
	readonly actorNames: readonly string[];
	readonly targetNames: readonly string[];
}

async function stored(
	queries: Queries,
	options: AuditStoreOptions,
	{ actorName, targetName, ...query }: AuditQuery,
): Promise<StoredQuery> {
	const formsOf = async (column: string, name: string | undefined): Promise<readonly string[]> => {
		if (name === undefined) return [];
		const sealed = await sealedForms(queries, options, query.tenantId, name);
		const plain = `tenant_id = $1 AND ${column} = $2 AND ${column} <> ''`;
		// With one form, the index also has the order.
		const hasPlain = sealed.length === 0 || (await auditEvents.exists(queries, plain, query.tenantId, name));
		return hasPlain ? [name, ...sealed] : sealed;
	};
	const actorNames = await formsOf("actor_name", actorName);
	return { ...query, actorNames, targetNames: await formsOf("target_name", targetName) };
}

function named(filter: Filter, column: string, names: readonly string[]): void {
	if (names.length === 0) return;
	const condition = names.length === 1 ? "= ?" : `IN (${names.map(() => "?").join(", ")})`;
	filter.add(`${column} ${condition} AND ${column} <> ''`, ...names);
}

/** `<> ''` is written as text, because the planner cannot use the partial indexes with a parameter. */
function matching(query: StoredQuery): Filter {
	const { tenantId, actor, actorNames, action, target, targetNames, requestId, ip, fromMs, toMs } = query;
	const filter = auditEvents.matching({ tenantId });
	named(filter, "actor_name", actorNames);
	named(filter, "target_name", targetNames);
	return filter
		.maybe("actor = ?", actor)
		.maybe("action = ?", action)
		.maybe("target = ?", target)
		.maybe("request_id = ? AND request_id <> ''", requestId)
		.maybe("ip = ? AND ip <> ''", ip)
		.maybe("at >= ?", fromMs)
		.maybe("at < ?", toMs);
}

async function append(queries: Queries, options: AuditStoreOptions, entry: AuditEntry): Promise<void> {
	const { nowMs, newId, chainHash } = options;
	const { tenantId, actor, actorName, action, target, targetName, origin } = entry;
	const details = JSON.stringify(entry.details);
	const texts = { actor, target, actorName, targetName, details, changes: changesText(entry.changes) };
	const sealed = await sealTexts(queries, options, texts);
	const { sequence, hash: previousHash } = await raiseHead(queries, tenantId);
	const { ip, requestId } = origin;
	const event = {
		id: newId(),
		tenantId,
		sequence,
		atMs: nowMs(),
		action,
		ip,
		requestId,
		chainVersion: CHAIN_VERSION,
		...sealed,
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
