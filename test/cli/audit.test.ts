import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { unlockAudit } from "../harness/databases/audit.ts";
import { runCommand } from "../harness/processes/command.ts";
import { type Exit, ownSettings } from "../harness/processes/program.ts";
import { copyOf, lastingFolder } from "../harness/runs/folder.ts";
import { makeInstallation, serveInstallation } from "../harness/service/installation.ts";

const verify = (dataDir: string): Promise<Exit> =>
	runCommand(["audit", "verify"], { env: { LATCHKEY_DATA_DIR: dataDir } });

describe("latchkey audit verify", () => {
	const root = lastingFolder();
	const home = join(root, "data");
	before(async () => {
		const env = await ownSettings(home);
		await makeInstallation(env);
		for (const name of ["ada", "grace", "joan"]) {
			const args = ["admin", "create", "--username", name, "--email", `${name}@ops.example`];
			assert.equal((await runCommand(args, { env })).code, 0);
		}
	});

	test("finds nothing in an unchanged trail, even while the service runs", async () => {
		using folder = copyOf(home);
		const atRest = await verify(folder.path);
		assert.equal(atRest.code, 0);
		assert.match(atRest.stdout, /^default: ok, 4 events, last hash [0-9a-f]{64}\n$/);
		assert.equal(atRest.stderr, "");
		const service = await serveInstallation(await ownSettings(folder.path));
		try {
			assert.deepEqual((await verify(folder.path)).stdout, atRest.stdout);
		} finally {
			await service.stop();
		}
	});

	const cases: readonly (readonly [string, RegExp, readonly string[]])[] = [
		[
			"changed",
			/^default: BROKEN at event 3, changed: /,
			["UPDATE audit_events SET actor = 'user:another' WHERE sequence = 3"],
		],
		[
			"renamed",
			/^default: BROKEN at event 2, changed: /,
			["UPDATE audit_events SET target_name = 'another' WHERE sequence = 2"],
		],
		[
			"given forged values",
			/^default: BROKEN at event 2, changed: /,
			[`UPDATE audit_events SET changes = '{"status":{"from":"active","to":"disabled"}}' WHERE sequence = 2`],
		],
		[
			"marked as written by an older version",
			/^default: BROKEN at event 2, changed: /,
			["UPDATE audit_events SET chain_version = 1 WHERE sequence = 2"],
		],
		[
			"removed",
			/^default: BROKEN at event 2, removed: event 2 is missing\n$/,
			["DELETE FROM audit_events WHERE sequence = 2"],
		],
		[
			"removed from the end",
			/^default: BROKEN at event 4, removed: event 4 was removed from the end\n$/,
			["DELETE FROM audit_events WHERE sequence = 4"],
		],
		[
			"removed altogether",
			/^default: BROKEN at event 1, removed: the whole trail was removed\n$/,
			["DELETE FROM audit_events", "DELETE FROM audit_heads"],
		],
		[
			"inserted",
			/^default: BROKEN at event 3, inserted: /,
			[
				"UPDATE audit_events SET sequence = sequence + 100 WHERE sequence >= 3",
				"UPDATE audit_events SET sequence = sequence - 99 WHERE sequence >= 103",
				`INSERT INTO audit_events (id, tenant_id, sequence, at, actor, action, target, ip, request_id, details, chain_version, hash)
				 SELECT 'forged', tenant_id, 3, at, 'system', 'user.forged', target, ip, request_id, details, chain_version, hash
				 FROM audit_events WHERE sequence = 2`,
			],
		],
		[
			"reordered",
			/^default: BROKEN at event 2, reordered: event 2 is at position 3\n$/,
			[
				"UPDATE audit_events SET sequence = 100 WHERE sequence = 2",
				"UPDATE audit_events SET sequence = 2 WHERE sequence = 3",
				"UPDATE audit_events SET sequence = 3 WHERE sequence = 100",
			],
		],
	];
	for (const [what, line, statements] of cases) {
		test(`finds events that were ${what}, and exits with 5`, async () => {
			using folder = copyOf(home);
			const engine = openSqlite(join(folder.path, "latchkey.db"));
			await unlockAudit(engine);
			for (const sql of statements) await engine.queries.run(sql);
			await engine.close();
			const { code, stdout } = await verify(folder.path);
			assert.match(stdout, line);
			assert.equal(code, 5);
		});
	}
});

describe("latchkey audit prune", () => {
	const root = lastingFolder();
	const home = join(root, "data");
	const prune = (dataDir: string, before: string): Promise<Exit> =>
		runCommand(["audit", "prune", "--before", before], { env: { LATCHKEY_DATA_DIR: dataDir } });
	const change = async (dataDir: string, statements: readonly string[]): Promise<void> => {
		const engine = openSqlite(join(dataDir, "latchkey.db"));
		await unlockAudit(engine);
		for (const sql of statements) await engine.queries.run(sql);
		await engine.close();
	};
	before(async () => {
		const env = await ownSettings(home);
		await makeInstallation(env);
		for (const name of ["ada", "grace"]) {
			const args = ["admin", "create", "--username", name, "--email", `${name}@ops.example`];
			assert.equal((await runCommand(args, { env })).code, 0);
		}
	});

	test("removes older events while the service runs, and the rest verifies from a signed checkpoint", async () => {
		using folder = copyOf(home);
		const service = await serveInstallation(await ownSettings(folder.path));
		try {
			assert.equal((await prune(folder.path, "2020-01-01")).stdout, "default: 0 events removed\n");
			const { code, stdout } = await prune(folder.path, new Date().toISOString());
			assert.deepEqual([code, stdout], [0, "default: 3 events removed\n"]);
			assert.match(
				(await verify(folder.path)).stdout,
				/^default: ok, 1 events after the checkpoint at event 3, last hash [0-9a-f]{64}\n$/,
			);
		} finally {
			await service.stop();
		}
	});

	test("finds a checkpoint that was forged or copied from another tenant", async () => {
		using folder = copyOf(home);
		await prune(folder.path, new Date().toISOString());
		await change(folder.path, ["UPDATE audit_checkpoints SET statement = replace(statement, '.', '.e')"]);
		const { code, stdout } = await verify(folder.path);
		assert.match(stdout, /^default: BROKEN at event 3, forged: /);
		assert.equal(code, 5);
	});

	test("removes nothing from a broken trail", async () => {
		using folder = copyOf(home);
		await change(folder.path, ["UPDATE audit_events SET actor = 'user:another' WHERE sequence = 2"]);
		const { code, stdout, stderr } = await prune(folder.path, new Date().toISOString());
		assert.deepEqual([code, stdout], [5, ""]);
		assert.match(stderr, /the trail of default is broken at event 2, changed: .*; nothing was removed/);
	});

	test("refuses an invalid time and a time in the future", async () => {
		for (const before of ["yesterday", "2026-01-01T00:00:00", "2026-13-01", "9999-01-01"]) {
			const { code, stderr } = await prune(home, before);
			assert.equal(code, 2, before);
			assert.match(stderr, /--before .* (must be a day or a time with a zone|is in the future)/);
		}
	});
});
