// Migrates a database to the newest schema, with one transaction per migration.

import { StartError } from "../../kernel/start-error.ts";
import type { Engine, Queries } from "../sql/engine.ts";
import { READ_SCHEMA_VERSION, requireReleased, type SchemaVersionRow } from "../sql/schema-version.ts";
import { MIGRATIONS } from "./migrations.ts";

const CREATE_TABLE =
	"CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)";

export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Returns the schema version, 0 for an empty database. Changes nothing.
 *
 * @throws StartError for a database of a development version before 0.3.0.
 */
export async function schemaVersion(engine: Engine): Promise<number> {
	if (!(await engine.hasTable("schema_migrations"))) return 0;
	return requireReleased(await engine.queries.one<SchemaVersionRow>(READ_SCHEMA_VERSION));
}

/**
 * Applies missing migrations and returns their names. If several processes start at once, one applies the migrations and
 * the others find nothing to do.
 *
 * @throws StartError for a database of a newer version or of a development version before 0.3.0.
 */
export async function migrate(engine: Engine, nowMs: number): Promise<string[]> {
	if ((await requireKnown(engine)) === SCHEMA_VERSION) return [];
	return engine.exclusively(async () => {
		// Check again: another process may have migrated before it released the lock.
		const found = await requireKnown(engine);
		for (let from = found; from < SCHEMA_VERSION; from++)
			await engine.transaction((queries) => migrateWithin(engine, queries, { from, to: from + 1, nowMs }));
		return MIGRATIONS.slice(found).map(({ name }) => name);
	});
}

/** Applies the migrations after number `from`, up to and including `to`, in the caller's transaction. */
export async function migrateWithin(
	engine: Engine,
	queries: Queries,
	{ from, to, nowMs }: { readonly from: number; readonly to: number; readonly nowMs: number },
): Promise<void> {
	if (from === 0) await queries.run(CREATE_TABLE);
	for (const [index, { name, sql }] of MIGRATIONS.slice(from, to).entries()) {
		await engine.script(queries, engine.migrationText(sql));
		await queries.run(
			"INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)",
			from + index + 1,
			name,
			nowMs,
		);
	}
}

async function requireKnown(engine: Engine): Promise<number> {
	const found = await schemaVersion(engine);
	if (found <= SCHEMA_VERSION) return found;
	throw new StartError(
		`the database has schema ${found}, this version of latchkey supports up to ${SCHEMA_VERSION}: start the newer version that wrote it`,
	);
}
