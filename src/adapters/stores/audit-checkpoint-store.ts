// Checkpoints of audit trails in SQL. Only this store deletes events: those up to a checkpoint, when it is written.

import type { CheckpointStore } from "../../domain/audit.ts";
import type { Queries } from "../sql/queries.ts";
import { auditCheckpoints, auditEvents } from "../sql/tables/record-tables.ts";

const NEWEST = `NOT EXISTS (SELECT 1 FROM audit_checkpoints later
	WHERE later.tenant_id = audit_checkpoints.tenant_id AND later.sequence > audit_checkpoints.sequence)`;
/** Checks before it inserts, because a trigger refuses to overwrite a checkpoint. */
const insertOnce = auditCheckpoints.insertWith({
	where:
		"NOT EXISTS (SELECT 1 FROM audit_checkpoints WHERE tenant_id = {tenantId} AND sequence = {sequence})",
});

export function createCheckpointStore(queries: Queries): CheckpointStore {
	return {
		findNewest: (tenantId) =>
			auditCheckpoints.find(queries, "tenant_id = $1 ORDER BY sequence DESC LIMIT 1", tenantId),
		listNewest: () => auditCheckpoints.all(queries, NEWEST),
		async prune(checkpoint) {
			if ((await insertOnce(queries, checkpoint)) === 0) return undefined;
			const { tenantId, sequence } = checkpoint;
			return auditEvents.delete(queries, "tenant_id = $1 AND sequence <= $2", tenantId, sequence);
		},
	};
}
