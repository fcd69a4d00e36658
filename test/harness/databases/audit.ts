// Lets a test change the audit trail like an attacker with database access.

import type { Engine } from "../../../src/adapters/sql/engine.ts";

const TABLES = ["audit_events", "audit_heads", "audit_checkpoints"];

/** Drops the triggers that protect the audit trail. */
export async function unlockAudit(engine: Engine): Promise<void> {
	for (const table of TABLES) {
		const on = engine.name === "postgres" ? ` ON ${table}` : "";
		for (const event of ["update", "delete"])
			await engine.queries.run(`DROP TRIGGER ${table}_no_${event}${on}`);
	}
}
