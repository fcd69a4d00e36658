// The audit trail in SQL: append-only, with one hash chain per tenant.

import {
	type AuditCounts,
	type AuditLog,
	type AuditQuery,
	type AuditTrail,
	TIME_SKEW_MS,
} from "../../domain/audit.ts";
import { cutText } from "../../domain/audit-changes.ts";
import type { Filter } from "../sql/page.ts";
import { type Queries, statement } from "../sql/queries.ts";
import type { Total } from "../sql/row-counts.ts";
import { auditEvents, auditHeads } from "../sql/tables/record-tables.ts";
import type { AppendedEvents } from "./appended-events.ts";
import { findNamesakes, openTexts, type UserKeyOptions } from "./sealed-audit.ts";

type OpenOptions = Pick<UserKeyOptions, "userCiphers" | "open">;

const NO_TARGET = { ref: "", name: "" };
const NEWEST_FIRST = "at DESC, sequence DESC";
/** Without the index over times: an embedded database would read the whole trail for a few events of several actions. */
const SORTED = "at + 0 DESC, sequence DESC";
const heads = auditHeads.pick("sequence", "hash");

/** @param appended writes the events of the transaction. */
export function createAuditStore(
	queries: Queries,
	options: OpenOptions,
	appended: Pick<AppendedEvents, "add" | "write">,
): AuditLog & AuditTrail {
	const appendReturningId: AuditLog["appendReturningId"] = async (
		{ tenantId, actor, actorName, onBehalfOf, origin },
		action,
		target,
		details = {},
		changes = {},
	) => {
		const { ref, name } = target === "" ? NO_TARGET : target;
		const named = { target: ref, targetName: cutText(name), actorName: cutText(actorName) };
		const all = onBehalfOf === undefined ? details : { ...details, on_behalf_of: onBehalfOf };
		return appended.add({ tenantId, actor, origin, action, details: all, changes, ...named });
	};
	return {
		appendReturningId,
		append: async (...entry) => void (await appendReturningId(...entry)),
		async list(query, page) {
			const filter = await matching(queries, options, query);
			const filters = countFilters(query);
			const total = filters === 0 ? totalOfTrail(query.tenantId) : undefined;
			// Each filter has an index, their combinations do not.
			if (filters > 1 || areSeveral(query)) filter.separately();
			const order = areSeveral(query) ? SORTED : NEWEST_FIRST;
			const found = await auditEvents.list(queries, { filter, order, total }, page);
			return { ...found, items: await openTexts(queries, options, found.items) };
		},
		async count(query, stepMs, max) {
			const { tenantId, fromMs, toMs } = query;
			const counted = await newestOf(queries, tenantId, fromMs, toMs, max);
			if (counted === undefined) return { totals: new Map(), countedFromMs: fromMs };
			const { countedFromMs, first, last } = counted;
			const filter = await matching(queries, options, { ...query, fromMs: countedFromMs });
			const { condition, parameters } = filter.add("sequence >= ?", first).add("sequence <= ?", last);
			const step = `at - at % $${parameters.length + 1}`;
			const sql = `SELECT ${step} AS step, count(*) AS total FROM audit_events WHERE ${condition} GROUP BY 1`;
			const rows = await queries.all<{ step: number; total: number }>(
				statement(sql, { reads: "separately" }),
				...parameters,
				stepMs,
			);
			return { totals: new Map(rows.map(({ step, total }) => [step, total])), countedFromMs };
		},
		async listMatching({ fromMs = 0, ...query }, { after, upTo }, limit) {
			const several = areSeveral(query) ? query.actions : undefined;
			const filter = await matching(queries, options, several ? { ...query, actions: undefined } : query);
			// Not with the index over actions, which has no order for several of them: each set would sort all that remain.
			if (several) addActions(filter, "action || ''", several);
			const isWhole = countFilters(query) === 0 && fromMs === 0;
			// One condition for the beginning: with two, SQLite would read all events of the period instead of those of a filter.
			const place = after.atMs < fromMs ? { atMs: fromMs, sequence: 0 } : after;
			if (isWhole) filter.add("sequence > ?", place.sequence);
			else filter.add("(at, sequence) > (?, ?)", place.atMs, place.sequence);
			filter.add("sequence <= ?", upTo);
			const order = isWhole ? "sequence" : "at, sequence";
			const condition = `${filter.condition} ORDER BY ${order} LIMIT $${filter.parameters.length + 1}`;
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
		async findHead(tenantId) {
			await appended.write();
			return heads.find(queries, { tenantId });
		},
	};
}

/** A trail has no gaps, so its end and its newest checkpoint give its length. */
function totalOfTrail(tenantId: string): Total {
	const end = (table: string): string =>
		`coalesce((SELECT max(sequence) FROM ${table} WHERE tenant_id = $1), 0)`;
	const sql = `SELECT ${end("audit_heads")} - ${end("audit_checkpoints")} AS total`;
	return { sql, parameters: [tenantId] };
}

function countFilters({ tenantId: _, actions = [], ...filters }: AuditQuery): number {
	const others = Object.values(filters).filter((value) => value !== undefined).length;
	return others + (actions.length > 0 ? 1 : 0);
}

function areSeveral({ actions = [] }: AuditQuery): boolean {
	return actions.length > 1;
}

function addActions(filter: Filter, column: string, actions: readonly string[]): void {
	if (actions.length > 0) filter.add(listed(column, actions), ...actions);
}

function listed(column: string, values: readonly string[]): string {
	return `${column} ${values.length === 1 ? "= ?" : `IN (${values.map(() => "?").join(", ")})`}`;
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

/** Text conditions like `<> ''` are written as in the partial indexes: the planner cannot use them with a parameter. */
async function matching(queries: Queries, options: OpenOptions, query: AuditQuery): Promise<Filter> {
	const {
		tenantId,
		id,
		actor,
		actorName,
		actions = [],
		target,
		targetName,
		requestId,
		ip,
		fromMs,
		toMs,
	} = query;
	const filter = auditEvents.matching({ tenantId });
	for (const [column, name] of [
		["actor", actorName],
		["target", targetName],
	] as const)
		if (name !== undefined) await addName(queries, options, filter, { tenantId, column, name });
	addActions(filter, "action", actions);
	if (id !== undefined) await addId(queries, filter, tenantId, id);
	return filter
		.maybe("actor = ?", actor)
		.maybe("target = ?", target)
		.maybe("request_id = ? AND request_id <> ''", requestId)
		.maybe("ip = ? AND ip <> ''", ip)
		.maybe("at >= ?", fromMs)
		.maybe("at < ?", toMs);
}

/** No index has the ids, but an id begins with its time. After a clock was set back, they differ from those of the events. */
async function addId(queries: Queries, filter: Filter, tenantId: string, id: string): Promise<void> {
	const idMs = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
	const [fromMs, toMs] = [idMs - TIME_SKEW_MS, idMs + 2 * TIME_SKEW_MS];
	const near = "tenant_id = $1 AND at >= $2 AND at <= $3 AND id = $4";
	if (await auditEvents.exists(queries, near, tenantId, fromMs, toMs, id))
		filter.add("id = ? AND at >= ? AND at <= ?", id, fromMs, toMs);
	else filter.separately().add("id = ?", id);
}

/** Users are found by their ids, and then by the sealed name; clients and the like by the name, which is not sealed. */
async function addName(
	queries: Queries,
	options: OpenOptions,
	filter: Filter,
	{ tenantId, column, name }: Record<"tenantId" | "name", string> & { readonly column: "actor" | "target" },
): Promise<void> {
	const { refs, sealed } = await findNamesakes(queries, options, tenantId, name);
	const isNoUser = `${column}_name <> '' AND ${column} NOT LIKE 'user:%'`;
	const ofOthers = `${column}_name = ? AND ${isNoUser}`;
	if (refs.length === 0) return void filter.add(ofOthers, name);
	const ofUsers = `${listed(column, refs)} AND ${listed(`${column}_name`, sealed)}`;
	const plain = `tenant_id = $1 AND ${column}_name = $2 AND ${isNoUser}`;
	// With users only, an index also has the order.
	if (!(await auditEvents.exists(queries, plain, tenantId, name)))
		return void filter.add(ofUsers, ...refs, ...sealed);
	filter.add(`((${ofUsers}) OR (${ofOthers}))`, ...refs, ...sealed, name);
}
