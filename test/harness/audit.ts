// Changes to the audit trail by an attacker with access to the database, for tests of their detection.

import type { Engine } from "../../src/adapters/sql/engine.ts";

const TABLES = ["audit_events", "audit_heads", "audit_checkpoints"];

/** Takes away the triggers that keep the trail as it is. */
export async function unlockAudit(engine: Engine): Promise<void> {
	for (const table of TABLES) {
		const on = engine.name === "postgres" ? ` ON ${table}` : "";
		for (const event of ["update", "delete"])
			await engine.queries.run(`DROP TRIGGER ${table}_no_${event}${on}`);
	}
}
