// Brings a database to the newest schema, one migration a transaction.

import { StartError } from "../../kernel/start-error.ts";
import type { Engine } from "./engine.ts";
import { initial } from "./migrations/0001-initial.ts";
import { clientLife } from "./migrations/0002-client-life.ts";

/** In order, numbered from 1; a released migration never changes. */
const MIGRATIONS = [
	{ name: "initial", sql: initial },
	{ name: "client-life", sql: clientLife },
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** @returns the schema version found, 0 for an empty database. */
export async function schemaVersion(engine: Engine): Promise<number> {
	await engine.transaction((queries) =>
		queries.run(
			"CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)",
		),
	);
	const row = await engine.queries.one<{ version: number | null }>(
		"SELECT max(version) AS version FROM schema_migrations",
	);
	return row?.version ?? 0;
}

/**
 * Applies what is missing and returns the names of the migrations it ran.
 *
 * @throws StartError when the database was written by a newer program.
 */
export async function migrate(engine: Engine, nowMs: number): Promise<string[]> {
	const found = await schemaVersion(engine);
	if (found > SCHEMA_VERSION) {
		throw new StartError(
			`the database has schema ${found}, this program knows up to ${SCHEMA_VERSION}: start the newer version of latchkey that wrote it`,
		);
	}
	const applied: string[] = [];
	for (const [index, migration] of MIGRATIONS.entries()) {
		const version = index + 1;
		if (version <= found) continue;
		await engine.transaction(async (queries) => {
			await engine.script(queries, engine.migrationText(migration.sql));
			await queries.run(
				"INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)",
				version,
				migration.name,
				nowMs,
			);
		});
		applied.push(migration.name);
	}
	return applied;
}
