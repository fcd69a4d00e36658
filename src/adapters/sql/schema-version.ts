// Reads the schema version of a database from its table of migrations.

import { StartError } from "../../kernel/start-error.ts";

/** One row. The table must exist. */
export const READ_SCHEMA_VERSION =
	"SELECT max(version) AS version, min(CASE version WHEN 1 THEN name END) AS first FROM schema_migrations";

export interface SchemaVersionRow {
	/** null: no migration was applied. */
	readonly version: number | null;
	readonly first: string | null;
}

/** The first migration of every version before 0.3.0. No migration leads from these schemas to the one of 0.3.0. */
const BEFORE_0_3_0 = "initial";

/** @returns 0 for an empty database. @throws StartError for a database of a development version before 0.3.0. */
export function requireReleased(row: SchemaVersionRow | undefined): number {
	if (row?.first === BEFORE_0_3_0)
		throw new StartError(
			"the database was created by a development version of latchkey before 0.3.0, which cannot be upgraded: " +
				"start with a new data directory, or with an empty PostgreSQL database",
		);
	return row?.version ?? 0;
}
