// Checkpoints of audit trails in SQL. Only this store deletes events: those up to a checkpoint, when it is written.

import type { AuditMonth, ChainHead, CheckpointStore } from "../../domain/audit.ts";
import type { Queries } from "../sql/queries.ts";
import { after, before, upTo } from "../sql/table-columns.ts";
import { auditCheckpoints, auditEvents } from "../sql/tables/record-tables.ts";

const NEWEST = `NOT EXISTS (SELECT 1 FROM audit_checkpoints later
	WHERE later.tenant_id = audit_checkpoints.tenant_id AND later.sequence > audit_checkpoints.sequence)`;
/** Checks before it inserts, because a trigger refuses to overwrite a checkpoint. */
const insertOnce = auditCheckpoints.insertWith({
	where:
		"NOT EXISTS (SELECT 1 FROM audit_checkpoints WHERE tenant_id = {tenantId} AND sequence = {sequence})",
});

/** On several tables, the condition leaves the first event to a look-up in each of them. */
const LAST_BEFORE = `SELECT sequence, hash FROM audit_events WHERE tenant_id = $1 AND sequence < coalesce(
		(SELECT min(kept.sequence) FROM audit_events kept WHERE kept.tenant_id = $1 AND kept.at >= $2), ${Number.MAX_SAFE_INTEGER})
	ORDER BY sequence DESC LIMIT 1`;

/** @param hasMonths whether the engine keeps the events of each month in a table of their own. */
export function createCheckpointStore(queries: Queries, hasMonths: boolean): CheckpointStore {
	return {
		findNewest: (tenantId) =>
			auditCheckpoints.find(queries, "tenant_id = $1 ORDER BY sequence DESC LIMIT 1", tenantId),
		listNewest: () => auditCheckpoints.all(queries, NEWEST),
		async prune(checkpoint) {
			if ((await insertOnce(queries, checkpoint)) === 0) return undefined;
			const { tenantId, sequence } = checkpoint;
			return auditEvents.delete(queries, { tenantId, sequence: upTo(sequence) });
		},
		async findOldestMonth() {
			if (!hasMonths) return undefined;
			return queries.one<AuditMonth>(
				`SELECT from_ms AS "fromMs", to_ms AS "toMs" FROM audit_months() LIMIT 1`,
			);
		},
		findLastBefore: (tenantId, beforeMs) => queries.one<ChainHead>(LAST_BEFORE, tenantId, beforeMs),
		hasOlderAfter: (tenantId, sequence, beforeMs) =>
			auditEvents.exists(queries, { tenantId, sequence: after(sequence), atMs: before(beforeMs) }),
		async dropMonth({ fromMs }, checkpoints) {
			if (!hasMonths) return "kept";
			const rows = JSON.stringify(
				checkpoints.map((checkpoint) => auditCheckpoints.cellsByColumn(checkpoint)),
			);
			const sql = "SELECT drop_audit_month(CAST($1 AS BIGINT), CAST($2 AS JSON)) AS outcome";
			const dropped = await queries.one<{ outcome: "dropped" | "busy" | "kept" }>(sql, fromMs, rows);
			return dropped?.outcome ?? "kept";
		},
	};
}
