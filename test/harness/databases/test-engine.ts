// Databases for tests on the engine of the run: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { migrate } from "../../../src/adapters/migrations/migrate.ts";
import { MIGRATIONS } from "../../../src/adapters/migrations/migrations.ts";
import { openPostgres } from "../../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { openSqlite } from "../../../src/adapters/sqlite/sqlite.ts";
import { randomToken } from "../../../src/crypto/random.ts";

/** The engine of this process. */
export const TEST_ENGINE: Engine["name"] = process.env.TEST_DATABASE === "postgres" ? "postgres" : "sqlite";

/** An arbitrary lock number, so that only one process creates the template. */
const TEMPLATE_LOCK = 1_618_033;

/** The server named by `PGHOST`, `PGPORT`, `PGUSER`, and `PGPASSWORD`; its user may create databases. */
export function serverUrl(database: string): string {
	const { PGHOST = "127.0.0.1", PGPORT = "5432", PGUSER = "postgres", PGPASSWORD = "" } = process.env;
	const credentials = `${encodeURIComponent(PGUSER)}${PGPASSWORD === "" ? "" : `:${encodeURIComponent(PGPASSWORD)}`}`;
	return `postgres://${credentials}@${PGHOST}:${PGPORT}/${database}`;
}

/** Undefined if the server is usable, otherwise the reason why not. */
export async function findPostgres(): Promise<string | undefined> {
	try {
		await onServer((client) => client.query("SELECT 1"));
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

export interface OwnDatabase {
	readonly name: string;
	readonly url: string;
	drop(): Promise<void>;
}

/**
 * Nonces are claimed up to some hours after the clock of the server, but services under test have other clocks: one that
 * is later than all of them replaces it.
 */
const ANY_CLOCK = (name: string): string => `
	CREATE FUNCTION public.statement_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT timestamptz '2200-01-01' $$;
	ALTER DATABASE ${name} SET search_path = public, pg_catalog`;

/** Creates a database on the server, empty or as a copy of a migrated template. */
export async function createPostgresDatabase(options: { readonly migrated: boolean }): Promise<OwnDatabase> {
	const name = `latchkey_test_${process.pid}_${randomToken()
		.slice(0, 8)
		.replaceAll(/[^A-Za-z0-9]/g, "x")
		.toLowerCase()}`;
	const template = options.migrated ? await ensureTemplate() : "template0";
	await onServer((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8'`));
	await onServer((client) => client.query(ANY_CLOCK(name)), name);
	return {
		name,
		url: serverUrl(name),
		drop: () =>
			onServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)).then(
				() => undefined,
			),
	};
}

let template: Promise<string> | undefined;

/** One per set of migrations, created on first need and kept for the next run. */
function ensureTemplate(): Promise<string> {
	template ??= onServer(async (client) => {
		// The triggers and functions of the schema are defined in files of the engine.
		const files = ["postgres.ts", "postgres-trail.ts", "postgres-months.ts"].map((name) =>
			readFileSync(new URL(`../../../src/adapters/postgres/${name}`, import.meta.url), "utf8"),
		);
		const text = JSON.stringify(MIGRATIONS) + files.join("");
		const name = `latchkey_template_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
		await client.query(`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`);
		const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
		if (rowCount === 0) {
			const unfinished = `${name}_new`;
			await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
			await client.query(`CREATE DATABASE ${unfinished} TEMPLATE template0 ENCODING 'UTF8'`);
			const engine = await openPostgres(serverUrl(unfinished));
			await migrate(engine, 0);
			await engine.close();
			await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
		}
		return name;
	});
	return template;
}

async function onServer<T>(work: (client: Client) => Promise<T>, database = "postgres"): Promise<T> {
	const client = new Client({ connectionString: serverUrl(database) });
	await client.connect();
	try {
		return await work(client);
	} finally {
		await client.end();
	}
}

let sqliteTemplate: Promise<string> | undefined;

/** Copies a migrated, empty database to a new file: a copy takes 1 ms, the migrations 60 ms. */
export async function createSqliteDatabase(file: string): Promise<void> {
	sqliteTemplate ??= ensureSqliteTemplate();
	copyFileSync(await sqliteTemplate, file);
}

/** One per set of migrations, created on first need and kept in the temporary folder. */
async function ensureSqliteTemplate(): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-template-"));
	const unfinished = join(folder, "new.db");
	const engine = openSqlite(unfinished);
	const text = MIGRATIONS.map(({ sql }) => engine.migrationText(sql)).join("\n");
	const template = join(
		tmpdir(),
		`latchkey-template-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.db`,
	);
	const isMissing = !existsSync(template);
	if (isMissing) await migrate(engine, 0);
	// Closing the last connection moves the write-ahead log into the file.
	await engine.close();
	if (isMissing) renameSync(unfinished, template);
	rmSync(folder, { recursive: true });
	return template;
}

/** Opens a migrated, empty database; `close` removes it. */
export async function openTestEngine(name = TEST_ENGINE): Promise<Engine> {
	if (name === "postgres") {
		const database = await createPostgresDatabase({ migrated: true });
		return closingWith(await openPostgres(database.url), database.drop);
	}
	const folder = mkdtempSync(join(tmpdir(), "latchkey-database-"));
	const file = join(folder, "test.db");
	await createSqliteDatabase(file);
	return closingWith(openSqlite(file), () => rmSync(folder, { recursive: true }));
}

/** Overrides `close` on the same object, because engines have getters and private state. */
function closingWith(engine: Engine, then: () => void | Promise<void>): Engine {
	const close = engine.close.bind(engine);
	engine.close = async () => {
		await close();
		await then();
	};
	return engine;
}
