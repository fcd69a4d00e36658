// The rows of marked tables, counted by triggers on every insert, update, and delete.

import type { Queries, Sql, SqlValue } from "./queries.ts";

/** A statement that returns the exact number of rows as `total` without counting them. */
export interface Total {
	readonly sql: Sql;
	readonly parameters: readonly SqlValue[];
}

/** The number of a tenant's rows in a counted table: those with one value, or all. */
export function totalOf(table: string, tenantId: string, value: string | undefined): Total {
	const only = value === undefined ? "" : " AND value = $3";
	return {
		sql: `SELECT CAST(coalesce(sum(total), 0) AS BIGINT) AS total FROM row_counts WHERE tenant_id = $1 AND table_name = $2${only}`,
		parameters: value === undefined ? [tenantId, table] : [tenantId, table, value],
	};
}

interface CountRow {
	readonly tenant_id: string;
	readonly table_name: string;
	readonly value: string;
	readonly total: number;
}

/**
 * Replaces the counts that transactions wrote, each in its own row, with their sums. Call it inside a transaction: readers
 * then see either all parts or the sum.
 *
 * @returns the number of rows that were added up.
 */
export async function foldCounts(queries: Queries): Promise<number> {
	const parts = await queries.all<CountRow>(
		"DELETE FROM row_counts WHERE part <> 0 RETURNING tenant_id, table_name, value, total",
	);
	// Sort, so that two nodes that fold at the same time cannot deadlock.
	for (const [, { tenant_id, table_name, value, total }] of [...sumsOf(parts)].sort(([a], [b]) =>
		a < b ? -1 : 1,
	))
		await queries.run(
			`INSERT INTO row_counts (tenant_id, table_name, value, part, total) VALUES ($1, $2, $3, 0, $4)
			 ON CONFLICT (tenant_id, table_name, value, part) DO UPDATE SET total = row_counts.total + excluded.total`,
			tenant_id,
			table_name,
			value,
			total,
		);
	return parts.length;
}

function sumsOf(parts: readonly CountRow[]): Map<string, CountRow> {
	const sums = new Map<string, CountRow>();
	for (const part of parts) {
		const key = JSON.stringify([part.tenant_id, part.table_name, part.value]);
		sums.set(key, { ...part, total: (sums.get(key)?.total ?? 0) + part.total });
	}
	return sums;
}
