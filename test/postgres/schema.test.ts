// Both engines have the same schema, and nodes that start concurrently create it once.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../../src/adapters/migrations/migrate.ts";
import { MIGRATIONS } from "../../src/adapters/migrations/migrations.ts";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { StartError } from "../../src/kernel/start-error.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase, type OwnDatabase } from "../harness/databases/test-engine.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { startTestService } from "../harness/service/service.ts";

/** `table.column type null|not null`, primary keys, unique and other indexes: each engine's catalog in the same format. */
interface Shape {
	readonly columns: string[];
	readonly indexes: string[];
}

describe("the schema", { skip: POSTGRES_SKIPPED }, () => {
	let database: OwnDatabase;
	let engine: Engine;
	before(async () => {
		database = await createPostgresDatabase({ migrated: false });
		engine = await openPostgres(database.url);
	});
	after(async () => {
		await engine.close();
		await database.drop();
	});

	test("is created once by nodes that start concurrently", async () => {
		assert.equal(await schemaVersion(engine), 0);
		const nodes = await Promise.all([1, 2, 3, 4].map(() => openPostgres(`${database.url}?pool_size=2`)));
		const applied = await Promise.all(nodes.map((node) => migrate(node, 1)));
		assert.deepEqual(applied.map(({ length }) => length).sort(), [0, 0, 0, SCHEMA_VERSION]);
		await Promise.all(nodes.map((node) => node.close()));
		assert.equal(await schemaVersion(engine), SCHEMA_VERSION);
	});

	test("is the same on both engines", async () => {
		using folder = temporaryFolder();
		const sqlite = openSqlite(`${folder.path}/test.db`);
		await migrate(sqlite, 1);
		const [ours, theirs] = [await shapeOfSqlite(sqlite), await shapeOfPostgres(engine)];
		await sqlite.close();
		assert.ok(ours.columns.length > 100 && ours.indexes.length > 40);
		// A key of a table that is divided by time contains the time.
		const key = "audit_events unique (tenant_id, sequence)";
		const indexes = ours.indexes.map((line) => (line === key ? key.replace(")", ", at)") : line));
		assert.deepEqual(theirs, { ...ours, indexes });
	});

	test("compares text byte by byte", async () => {
		const rows = await engine.queries.all(
			`SELECT table_name, column_name FROM information_schema.columns
			 WHERE table_schema = 'public' AND data_type = 'text' AND table_name <> 'schema_migrations' AND collation_name IS DISTINCT FROM 'C'`,
		);
		assert.deepEqual(rows, []);
	});

	test("of a development version before 0.3.0 is refused", async () => {
		const rename = "UPDATE schema_migrations SET name = $1 WHERE version = 1";
		const [first] = MIGRATIONS;
		await engine.queries.run(rename, "initial");
		await assert.rejects(migrate(engine, 1), { name: "StartError", message: /^the database was created by/ });
		await engine.queries.run(rename, first?.name ?? "");
	});

	test("of a newer version stays unchanged", async () => {
		await engine.queries.run(
			"INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, 'next', 1)",
			SCHEMA_VERSION + 1,
		);
		await assert.rejects(migrate(engine, 1), (error: unknown) => {
			assert.ok(error instanceof StartError);
			assert.match(
				error.message,
				/^the database has schema \d+, this version of latchkey supports up to \d+: start the newer/,
			);
			return true;
		});
	});
});

describe("two nodes started concurrently on an empty database", { skip: POSTGRES_SKIPPED }, () => {
	test("one creates the schema, the other finds it, and both serve the same users", async () => {
		const database = await createPostgresDatabase({ migrated: false });
		const env = {
			LATCHKEY_DATABASE_URL: `${database.url}?pool_size=4`,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 3).toString("base64"),
		};
		const nodes = await Promise.all([startTestService({ env }), startTestService({ env })]);
		const filled = nodes.filter(({ service }) => service.firstAdmin !== undefined);
		assert.equal(filled.length, 1);
		const [one, other] = nodes;
		const token = await one.adminToken();
		assert.equal((await other.call("GET", "/api/v1/users/me", { token })).status, 200);
		assert.equal((await one.call("POST", "/api/v1/auth/logout", { token })).status, 204);
		assert.equal((await other.call("GET", "/api/v1/users/me", { token })).status, 401);
		await Promise.all(nodes.map((node) => node.stop()));
		await database.drop();
	});
});

/** In SQLite, a key of this type is the rowid: 64 bits, unique, and indexed by the table itself. */
const IS_ROW_NUMBER = "c.pk = 1 AND c.type = 'INTEGER'";

async function shapeOfSqlite({ queries }: Engine): Promise<Shape> {
	const columns = await queries.all<{ line: string }>(
		`SELECT t.name || '.' || c.name || ' ' || CASE WHEN ${IS_ROW_NUMBER} THEN 'bigint' ELSE lower(c.type) END
		   || CASE WHEN c."notnull" = 1 OR c.pk > 0 THEN ' not null' ELSE '' END AS line
		 FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
	);
	const indexes = await queries.all<{ line: string }>(
		`SELECT t.name || CASE WHEN i."unique" = 1 THEN ' unique' ELSE '' END || CASE WHEN i.partial = 1 THEN ' partial' ELSE '' END
		   || ' (' || (SELECT group_concat(coalesce(name, '(expression)'), ', ') FROM pragma_index_info(i.name)) || ')' AS line
		 FROM sqlite_master t, pragma_index_list(t.name) i WHERE t.type = 'table'
		 UNION ALL SELECT t.name || ' unique (' || c.name || ')' FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND ${IS_ROW_NUMBER}`,
	);
	return shapeOf(columns, indexes);
}

async function shapeOfPostgres({ queries }: Engine): Promise<Shape> {
	const columns = await queries.all<{ line: string }>(
		`SELECT table_name || '.' || column_name || ' ' || data_type || CASE WHEN is_nullable = 'NO' THEN ' not null' ELSE '' END AS line
		 FROM information_schema.columns WHERE table_schema = 'public'`,
	);
	const indexes = await queries.all<{ line: string }>(
		`SELECT t.relname || CASE WHEN i.indisunique THEN ' unique' ELSE '' END || CASE WHEN i.indpred IS NOT NULL THEN ' partial' ELSE '' END
		   || ' (' || (SELECT string_agg(coalesce(a.attname, '(expression)'), ', ' ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
		       LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number) || ')' AS line
		 FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = 'public'`,
	);
	return shapeOf(columns, indexes);
}

function shapeOf(columns: readonly { line: string }[], indexes: readonly { line: string }[]): Shape {
	const lines = (rows: readonly { line: string }[]): string[] =>
		rows
			.map(({ line }) => line)
			// The table of the migrations themselves differs between the engines.
			.filter((line) => !/^(?:schema_migrations|sqlite_)/.test(line))
			.sort();
	return { columns: lines(columns), indexes: lines(indexes) };
}
