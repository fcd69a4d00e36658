import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { SCHEMA_VERSION } from "../../src/adapters/migrations/migrate.ts";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings } from "../harness/processes/program.ts";
import { snapshot, temporaryFolder } from "../harness/runs/folder.ts";
import { serveInstallation } from "../harness/service/installation.ts";

describe("latchkey migrate", () => {
	test("creates the newest schema in an empty folder, does nothing the second time, and creates no admin", async () => {
		using folder = temporaryFolder();
		const env = await ownSettings(join(folder.path, "data"));
		const first = await runCommand(["migrate"], { env });
		assert.equal(first.code, 0);
		assert.match(first.stdout, new RegExp(`^schema 0 → ${SCHEMA_VERSION} \\(initial.*\\)\\n$`));
		assert.match(first.stderr, /^latchkey: created \S+master\.key: back it up[^\n]*\n$/);
		const earlier = snapshot(folder.path);
		const second = await runCommand(["migrate"], { env });
		assert.deepEqual(
			[second.code, second.stdout, second.stderr],
			[0, `schema ${SCHEMA_VERSION} is up to date\n`, ""],
		);
		assert.deepEqual(snapshot(folder.path), earlier);
		const service = await serveInstallation(env);
		await service.stop();
		assert.equal(service.firstAdmin?.username, "admin");
	});

	test("refuses to run while a service runs", async () => {
		using folder = temporaryFolder();
		const env = await ownSettings(folder.path);
		const service = await serveInstallation(env);
		try {
			const { code, stdout, stderr } = await runCommand(["migrate"], { env });
			assert.deepEqual([code, stdout], [4, ""]);
			assert.match(stderr, /^latchkey: data directory \S+ is in use by another latchkey process\n$/);
		} finally {
			await service.stop();
		}
	});

	test("every command refuses a database of a newer version, and changes nothing in it", async () => {
		using folder = temporaryFolder();
		const env = await ownSettings(folder.path);
		await runCommand(["migrate"], { env });
		const engine = openSqlite(join(folder.path, "latchkey.db"));
		await engine.queries.run(
			"INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, 'later', 0)",
			SCHEMA_VERSION + 1,
		);
		await engine.close();
		for (const args of [["migrate"], ["serve"], ["admin", "reset-password", "admin"], ["audit", "verify"]]) {
			const { code, stderr } = await runCommand(args, { env });
			assert.match(
				stderr,
				new RegExp(
					`^latchkey: the database has schema ${SCHEMA_VERSION + 1}, this version of latchkey supports [^\\n]+\\n$`,
				),
			);
			assert.equal(code, 1);
		}
	});

	test("every command refuses a database of a development version before 0.3.0, and changes nothing in it", async () => {
		using folder = temporaryFolder();
		const env = await ownSettings(folder.path);
		await runCommand(["migrate"], { env });
		const file = join(folder.path, "latchkey.db");
		const database = new DatabaseSync(file);
		database.exec("UPDATE schema_migrations SET name = 'initial'; PRAGMA wal_checkpoint(TRUNCATE)");
		database.close();
		const earlier = readFileSync(file);
		const backup = join(folder.path, "backup.gz");
		for (const args of [["migrate"], ["serve"], ["admin", "reset-password", "admin"], ["backup", backup]]) {
			const { code, stderr } = await runCommand(args, { env });
			assert.match(
				stderr,
				/^latchkey: the database was created by a development version of latchkey before 0\.3\.0, [^\n]+ data directory, [^\n]+\n$/,
			);
			assert.equal(code, 1);
		}
		assert.match(
			(await runCommand(["doctor"], { env })).stdout,
			/^fail +database +the database was created by/m,
		);
		assert.deepEqual(readFileSync(file), earlier);
	});
});
