// The database of a service under test: in its folder, or a database on the server that belongs to the folder.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres } from "../../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { openSqlite } from "../../../src/adapters/sqlite/sqlite.ts";
import { createPostgresDatabase, createSqliteDatabase, TEST_ENGINE } from "../databases/test-engine.ts";

export interface DatabasePlace {
	/** Settings that select it. */
	readonly env: Readonly<Record<string, string>>;
	/** Opens another connection. */
	open(): Promise<Engine>;
	/** Drops the database; SQLite files are removed with the folder. */
	drop(): Promise<void>;
}

const KEY = Buffer.alloc(32, 7).toString("base64");
const places = new Map<string, DatabasePlace>();

// A folder used by several starts keeps its database until the test file is done. A test runner hook would run before
// those of the file itself, while services still run.
process.once("beforeExit", () => {
	for (const place of places.values()) void place.drop();
});

/**
 * Uses the database and the master key of `env`, if set.
 *
 * @param options.isNew the folder is empty and the start need not test the migrations: the embedded database is a copy
 * of a migrated one, with its master key.
 */
export async function placeOf(
	dataDir: string,
	env: Readonly<Record<string, string>>,
	{ isNew = false }: { readonly isNew?: boolean } = {},
): Promise<DatabasePlace> {
	if (env.LATCHKEY_DATABASE_URL !== undefined) return named(env.LATCHKEY_DATABASE_URL);
	const hasKey = "LATCHKEY_MASTER_KEY" in env || "LATCHKEY_MASTER_KEY_FILE" in env;
	if (TEST_ENGINE === "sqlite") {
		if (isNew) await createSqliteDatabase(join(dataDir, "latchkey.db"));
		if (isNew && !hasKey) writeFileSync(join(dataDir, "master.key"), `${KEY}\n`, { mode: 0o600 });
		return embedded(dataDir);
	}
	const place = places.get(dataDir) ?? (await onServer(dataDir));
	return hasKey ? place : { ...place, env: { ...place.env, LATCHKEY_MASTER_KEY: KEY } };
}

/** Settings of commands on the installation of a running service. */
export async function commandSettings(dataDir: string): Promise<Record<string, string>> {
	const { env } = await placeOf(dataDir, {});
	return { LATCHKEY_DATA_DIR: dataDir, ...env };
}

function named(url: string): DatabasePlace {
	return { env: {}, open: () => openPostgres(url), drop: () => Promise.resolve() };
}

function embedded(dataDir: string): DatabasePlace {
	const open = async (): Promise<Engine> => openSqlite(join(dataDir, "latchkey.db"));
	return { env: {}, open, drop: () => Promise.resolve() };
}

async function onServer(dataDir: string): Promise<DatabasePlace> {
	const { url, drop } = await createPostgresDatabase({ migrated: true });
	// Many services at once share the server's hundred connections.
	const place = {
		env: { LATCHKEY_DATABASE_URL: `${url}?pool_size=12` },
		open: () => openPostgres(`${url}?pool_size=2`),
		drop: async () => {
			places.delete(dataDir);
			await drop();
		},
	};
	places.set(dataDir, place);
	return place;
}
