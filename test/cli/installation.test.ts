// Every command first names the installation that it works on, and few commands create one.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { lastingFolder, snapshot } from "../harness/runs/folder.ts";

const MASTER_KEY = Buffer.alloc(32, 9).toString("base64");
const WORKING: readonly (readonly string[])[] = [
	["admin", "create", "--username", "second", "--email", "second@localhost"],
	["admin", "reset-password", "admin"],
	["user", "reset", "admin"],
	["user", "unlock", "admin"],
	["api", "GET", "/users"],
	["import", "/dev/null"],
	["audit", "verify"],
	["audit", "prune", "--before", "2026-01-01"],
	["keys", "list"],
	["keys", "rotate"],
	["backup", "never.gz"],
	["rekey"],
	["rekey", "--new-key"],
	["doctor"],
];

describe("without settings, in a folder without an installation", () => {
	const folder = lastingFolder();

	for (const args of [...WORKING, ["migrate"]])
		test(`${args.join(" ")} prints how to name one, and creates nothing`, async () => {
			const { code, stdout, stderr, named } = await runCommand(args, { cwd: folder });
			assert.equal(code, args[0] === "doctor" ? 1 : 3);
			const data = join(folder, "data");
			assert.equal(named, `default settings; data directory ${data}; database ${join(data, "latchkey.db")}`);
			const said = args[0] === "doctor" ? stdout : stderr;
			const failed = said.split("\n").filter((line) => /^(?:latchkey:|fail) /.test(line));
			assert.equal(failed.length, 1, said);
			assert.match(failed[0] ?? "", /latchkey\.db does not exist .*LATCHKEY_CONFIG, LATCHKEY_DATA_DIR or/);
			assert.deepEqual(snapshot(folder).length, 1);
		});

	test("restore with a key creates nothing either", async () => {
		const env = { LATCHKEY_MASTER_KEY: MASTER_KEY };
		const { code, stderr } = await runCommand(["restore", "any.gz"], { cwd: folder, env });
		assert.equal(code, 3);
		assert.match(
			stderr,
			/^latchkey: \S+latchkey\.db does not exist and is created only in a configured location/,
		);
		assert.deepEqual(snapshot(folder).length, 1);
	});
});

describe("while a service runs", () => {
	const folder = lastingFolder();
	const dataDir = join(folder, "data");
	const program = fixture(async () => startProgram({ env: await ownSettings(dataDir) }), "end");

	test("every command first names its settings, folder, and database on standard error", async () => {
		const file = join(folder, "latchkey.env");
		writeFileSync(file, `LATCHKEY_DATA_DIR=${dataDir}\nLATCHKEY_BCRYPT_COST=10\n`);
		for (const args of WORKING.filter(([name, option]) => name !== "rekey" && option !== "never.gz")) {
			const { named, stdout } = await runCommand(args, {
				env: { LATCHKEY_CONFIG: file, LATCHKEY_PORT: "0" },
			});
			const place = `data directory ${dataDir}; database ${join(dataDir, "latchkey.db")}`;
			assert.equal(named, `settings from ${file} and the environment; ${place}`, args.join(" "));
			assert.doesNotMatch(stdout, /^installation:/m);
		}
	});

	test("serve logs the same when it starts", () => {
		const [line = ""] = /^.*"msg":"started".*$/m.exec(program.stderr()) ?? [];
		const { settings, data_directory, database, pid } = JSON.parse(line);
		assert.deepEqual(
			[settings, data_directory, database, pid],
			["the environment", dataDir, join(dataDir, "latchkey.db"), program.pid],
		);
	});

	test("names a database server without its credentials", async () => {
		const { named } = await runCommand(["keys", "list"], {
			env: {
				LATCHKEY_DATA_DIR: dataDir,
				LATCHKEY_DATABASE_URL: "postgres://somebody:hidden@127.0.0.1:1/latchkey",
				LATCHKEY_MASTER_KEY: MASTER_KEY,
			},
		});
		assert.match(named ?? "", /; database PostgreSQL 127\.0\.0\.1:1\/latchkey$/);
		assert.doesNotMatch(named ?? "", /hidden|somebody/);
	});

	test("names nothing for a command that needs no installation", async () => {
		for (const args of [["--version"], ["backup", "--help"]]) {
			const { named, stderr } = await runCommand(args);
			assert.deepEqual([named, stderr], [undefined, ""]);
		}
		assert.equal(existsSync(join(folder, "never.gz")), false);
	});
});
