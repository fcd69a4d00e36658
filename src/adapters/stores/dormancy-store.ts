// People and API clients without use, in SQL.

import type { DormancyStore, DormantKind, DormantQuery } from "../../domain/dormancy.ts";
import { columnOf, type Queries, type SqlValue, statement } from "../sql/queries.ts";

interface Place {
	readonly table: string;
	/** Matches the index. */
	readonly ofTenant: string;
	readonly canEnd: string;
	/** When it was used. */
	readonly uses: readonly string[];
}

const PLACES: Readonly<Record<DormantKind, Place>> = {
	user: {
		table: "users",
		ofTenant: "(tenant_id || '') = $1",
		// The word of a directory counts, not whether a person signs in.
		canEnd:
			"status = 'active' AND NOT EXISTS (SELECT 1 FROM directory_people d WHERE d.user_id = users.id AND d.active = 1)",
		uses: ["COALESCE(last_login_at, created_at)", "COALESCE(last_seen_at, 0)"],
	},
	api_client: {
		table: "api_clients",
		ofTenant: "tenant_id = $1",
		canEnd: "status = 'active' AND mode = 'live'",
		uses: ["COALESCE(last_used_at, secret_created_at, created_at)", "COALESCE(enabled_at, 0)"],
	},
};

/** Parameters: tenant, time of the last use, earliest and latest time of the warning. */
function conditionOf({ canEnd, uses }: Place, { warnedByMs }: DormantQuery): string {
	const unused = [canEnd, ...uses.map((use) => `${use} < $2`)].join(" AND ");
	const counts = ["dormancy_warned_at > $3", ...uses.map((use) => `dormancy_warned_at >= ${use}`)].join(
		" AND ",
	);
	return warnedByMs === null
		? `${unused} AND (dormancy_warned_at IS NULL OR NOT (${counts}))`
		: `${unused} AND ${counts} AND dormancy_warned_at <= $4`;
}

function parametersOf({ tenantId, inactiveSinceMs, warnedAfterMs, warnedByMs }: DormantQuery): SqlValue[] {
	return [tenantId, inactiveSinceMs, warnedAfterMs, ...(warnedByMs === null ? [] : [warnedByMs])];
}

export function createDormancyStore(queries: Queries): DormancyStore {
	const change = async (
		kind: DormantKind,
		query: DormantQuery,
		id: string,
		changes: string,
		nowMs: number,
	) => {
		const place = PLACES[kind];
		const parameters = parametersOf(query);
		const [now, ofId] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`];
		const sql = `UPDATE ${place.table} SET ${changes.replaceAll("{now}", now)}
			WHERE id = ${ofId} AND tenant_id = $1 AND ${conditionOf(place, query)}`;
		return (await queries.run(sql, ...parameters, nowMs, id)) === 1;
	};
	return {
		async list(kind, query, limit) {
			const place = PLACES[kind];
			const parameters = parametersOf(query);
			const condition = `${place.ofTenant} AND ${conditionOf(place, query)}`;
			const sql = `SELECT id FROM ${place.table} WHERE ${condition} LIMIT $${parameters.length + 1}`;
			const found = statement(sql, { reads: "separately" });
			return columnOf(queries, found, ...parameters, limit);
		},
		warn: (kind, query, id, nowMs) => change(kind, query, id, "dormancy_warned_at = {now}", nowMs),
		disable: (kind, query, id, nowMs) =>
			change(
				kind,
				query,
				id,
				`status = 'disabled', disabled_reason = 'dormant', updated_at = {now}${kind === "user" ? ", disabled_at = {now}" : ""}`,
				nowMs,
			),
	};
}
