// Statistics in SQL: one row per tenant, subject, step, measure, and code.

import {
	type CallsRow,
	STATISTICS_KEPT_MS,
	STATISTICS_STEPS,
	type StatisticsStore,
	startOfStep,
} from "../../domain/statistics.ts";
import { places } from "../sql/parameter-lists.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { totalOf } from "../sql/row-counts.ts";
import { mailOutbox, statistics } from "../sql/tables/record-tables.ts";

const KEY = "(tenant_id, subject_id, step, at, measure, code)";
const add = statistics.insertWith({
	onConflict: `${KEY} DO UPDATE SET total = statistics.total + excluded.total`,
	leavesCache: true,
});
const rows = statistics.without("tenantId", "subjectId", "step");

const CALLS = `SELECT subject_id AS id, at AS "atMs", CAST(sum(total) AS BIGINT) AS calls,
	CAST(sum(CASE measure WHEN 'signed_call' THEN 0 ELSE total END) AS BIGINT) AS refused
	FROM statistics WHERE tenant_id = $1 AND step = 'hour' AND at >= $2 AND measure IN ('signed_call', 'signed_call_refused')`;

/** The tenants with a queue that is not empty, and its length. */
const QUEUES = {
	requests_pending: `SELECT tenant_id, CAST(sum(total) AS BIGINT) AS length FROM row_counts
		WHERE table_name = 'requests' AND value = 'pending' GROUP BY tenant_id HAVING sum(total) > 0`,
	mails_waiting:
		"SELECT tenant_id, count(*) AS length FROM mail_outbox WHERE status = 'due' GROUP BY tenant_id",
} as const;

/** Sort, so that two nodes cannot deadlock. */
function observeSql(measure: keyof typeof QUEUES): string {
	return `INSERT INTO statistics (tenant_id, subject_id, step, at, measure, code, total)
		SELECT tenant_id, '', CAST($1 AS TEXT), CAST($2 AS BIGINT), '${measure}', '', length
		FROM (${QUEUES[measure]}) AS queues WHERE length > 0 ORDER BY tenant_id
		ON CONFLICT ${KEY} DO UPDATE SET total = excluded.total WHERE statistics.total <> excluded.total`;
}

/** Only steps that have a row need a zero: no row means zero. */
function emptySql(measure: keyof typeof QUEUES): string {
	return `UPDATE statistics SET total = 0 WHERE step = $1 AND at = $2 AND measure = '${measure}' AND total <> 0
		AND tenant_id NOT IN (SELECT tenant_id FROM (${QUEUES[measure]}) AS queues)`;
}

const OBSERVE = (["requests_pending", "mails_waiting"] as const)
	.flatMap((measure) => [observeSql(measure), emptySql(measure)])
	.map((text) => statement(text, { leavesCache: true }));

export function createStatisticsStore(queries: Queries): StatisticsStore {
	return {
		async add(counts) {
			const steps = counts.flatMap(({ atMs, ...count }) =>
				STATISTICS_STEPS.map((step) => ({ ...count, step, atMs: startOfStep(step, atMs) })),
			);
			const keyOf = ({ tenantId, subjectId, step, atMs, measure, code }: (typeof steps)[number]): string =>
				`${tenantId} ${subjectId} ${step} ${atMs} ${measure} ${code}`;
			// Sort, so that two nodes cannot deadlock.
			const sorted = steps.map((row) => [keyOf(row), row] as const).sort(([a], [b]) => (a < b ? -1 : 1));
			for (const [, row] of sorted) await add(queries, row);
		},
		async observe(nowMs) {
			for (const step of STATISTICS_STEPS)
				for (const sql of OBSERVE) await queries.run(sql, step, startOfStep(step, nowMs));
		},
		list: ({ tenantId, id }, step, fromMs, toMs) =>
			rows.all(
				queries,
				"tenant_id = $1 AND subject_id = $2 AND step = $3 AND at >= $4 AND at < $5",
				tenantId,
				id,
				step,
				fromMs,
				toMs,
			),
		async listCalls(tenantId, clientIds, fromMs) {
			if (clientIds.length === 0) return new Map();
			const sql = statement(`${CALLS} AND subject_id IN (${places(clientIds, 3)}) GROUP BY subject_id, at`, {
				reads: "separately",
			});
			const found = await queries.all<CallsRow & { readonly id: string }>(
				sql,
				tenantId,
				fromMs,
				...clientIds,
			);
			return Map.groupBy(found, ({ id }) => id);
		},
		async queues(tenantId) {
			const pending = totalOf("requests", tenantId, "pending");
			const [counted, mails] = await Promise.all([
				queries.one<{ total: number }>(pending.sql, ...pending.parameters),
				// As text: the planner cannot use the partial index over due mails with a parameter.
				mailOutbox.count(queries, "tenant_id = $1 AND status = 'due'", tenantId),
			]);
			return { requests_pending: counted?.total ?? 0, mails_waiting: mails };
		},
		async purge(nowMs, limit) {
			let deleted = 0;
			for (const step of STATISTICS_STEPS) {
				const before = nowMs - STATISTICS_KEPT_MS[step];
				deleted += await statistics.purge(queries, `step = '${step}' AND at < $1`, before, limit - deleted);
			}
			return deleted;
		},
	};
}
