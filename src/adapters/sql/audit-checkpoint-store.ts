// Checkpoints of audit trails in SQL, and the one place where events are removed: up to a checkpoint, together with it.

import type { Checkpoint, CheckpointStore } from "../../features/audit/model.ts";
import type { Queries } from "./engine.ts";

interface CheckpointRow {
	tenant_id: string;
	sequence: number;
	hash: string;
	statement: string;
	created_at: number;
}

const COLUMNS = "tenant_id, sequence, hash, statement, created_at";

export function createCheckpointStore(queries: Queries): CheckpointStore {
	return {
		async findNewest(tenantId) {
			const row = await queries.one<CheckpointRow>(
				`SELECT ${COLUMNS} FROM audit_checkpoints WHERE tenant_id = $1 ORDER BY sequence DESC LIMIT 1`,
				tenantId,
			);
			return row && toCheckpoint(row);
		},
		async listNewest() {
			const rows = await queries.all<CheckpointRow>(
				`SELECT ${COLUMNS} FROM audit_checkpoints c WHERE NOT EXISTS
				 (SELECT 1 FROM audit_checkpoints later WHERE later.tenant_id = c.tenant_id AND later.sequence > c.sequence)`,
			);
			return rows.map(toCheckpoint);
		},
		async prune({ tenantId, sequence, hash, statement, createdAtMs }) {
			const written = await queries.run(
				`INSERT INTO audit_checkpoints (${COLUMNS}) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
				tenantId,
				sequence,
				hash,
				statement,
				createdAtMs,
			);
			if (written === 0) return undefined;
			return queries.run(
				"DELETE FROM audit_events WHERE tenant_id = $1 AND sequence <= $2",
				tenantId,
				sequence,
			);
		},
	};
}

function toCheckpoint(row: CheckpointRow): Checkpoint {
	return {
		tenantId: row.tenant_id,
		sequence: row.sequence,
		hash: row.hash,
		statement: row.statement,
		createdAtMs: row.created_at,
	};
}
