// Runs each command once as a separate process while the real program runs. The other files run commands in their own
// process.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { ownSettings, runProgram, spawnProgram, startProgram } from "../harness/processes/program.ts";
import { createProgramClient } from "../harness/processes/program-client.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { lastingFolder } from "../harness/runs/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const ENTRY = join(ROOT, "bin/latchkey.js");
const run = promisify(execFile);

/** The words of the command, its standard output, and its standard input. */
const COMMANDS: readonly (readonly [string, RegExp, string?])[] = [
	["--version", /^\d+\.\d+\.\d+\n$/],
	["completion bash", /^complete -o default -F _latchkey latchkey\n$/m],
	["doctor", /^ok {4}settings {8}valid\n/],
	["health", /"status":"ok"/],
	[
		"admin create --username second --email second@ops.example --password-stdin",
		/^created second <second@ops\.example>/,
		"a password of the test\n",
	],
	["admin reset-password second", /^password: \S{20} /],
	["user reset second", /^second no longer has a second factor/],
	["audit verify", /^default: ok, /],
	["audit prune --before 2020-01-01", /^default: 0 events removed\n$/],
	["keys list", /^\S{43} {2}ES256 {2}signing /],
	["rekey", /^0 secrets re-encrypted; /],
	["user unlock second", /^second can try to sign in again\n$/],
	["api GET /users -f username=second --json", /^\{"data":\[\{"id":/],
	[
		"import -",
		/^1 imported, 0 already present, 0 refused\n$/,
		'{"username":"ada","email":"ada@x.example"}\n',
	],
	["api GET /api-clients --paginate", /^$/],
	["mail test ops@partner.example", /^written to \S+\.eml\n$/],
];

describe("as a process, while a service runs,", () => {
	const folder = lastingFolder();
	const dataDir = join(folder, "data");
	// Longer than the last test, which runs commands during the drain.
	const env = fixture(async () => ({ ...(await ownSettings(dataDir)), LATCHKEY_DRAIN_SECONDS: "60" }));
	const program = fixture(() => startProgram({ env }), "end");

	for (const [words, output, input] of COMMANDS)
		test(`latchkey ${words} prints its result and exits with 0`, async () => {
			const { code, stdout, stderr } = await runProgram(words.split(" "), {
				env,
				...(input !== undefined && { input }),
			});
			assert.equal(code, 0, stderr);
			assert.equal(stderr, "");
			assert.match(stdout, output);
		});

	test("an error is one line and its exit status", async () => {
		const { code, stdout, stderr } = await runProgram(["migrate"], { env });
		assert.match(stderr, /^latchkey: data directory \S+ is in use by another latchkey process\n$/);
		assert.deepEqual([code, stdout], [4, ""]);
	});

	test("standard error of a terminal shows progress", { skip: skippedWithout("python3") }, async () => {
		const command = JSON.stringify([process.execPath, ENTRY, "audit", "verify"]);
		const { stdout } = await run("python3", ["-c", `import pty, sys; sys.exit(pty.spawn(${command}))`], {
			env: { PATH: process.env.PATH ?? "", ...env },
		});
		assert.match(stdout, /default: \d+ events verified so far/);
	});

	test("latchkey sign sends a request that the service accepts", async () => {
		const client = createProgramClient(program);
		const [, password = ""] = /^first admin: .* password: (\S+) /m.exec(program.stdout()) ?? [];
		const { tenant_id, app_id, api_key, secret } = await client.addApiClient(await client.signIn(password));
		client.close();
		const { code, stderr } = await runProgram(["sign", "-k", "/api/v1/external/whoami"], {
			env: {
				LK_BASE_URL: program.httpsUrl,
				LK_TENANT_ID: tenant_id,
				LK_APP_ID: app_id,
				LK_API_KEY: api_key,
				LK_SECRET: secret,
			},
		});
		assert.deepEqual([code, stderr], [0, "HTTP 200\n"]);
	});

	test("latchkey restore reads what latchkey backup writes to standard output", async () => {
		const file = join(folder, "piped.gz");
		await run("sh", ["-c", '"$0" "$1" backup - > "$2"', process.execPath, ENTRY, file], {
			env: { PATH: process.env.PATH, ...env },
		});
		const other = await ownSettings(join(folder, "other"));
		const masterKey = readFileSync(join(dataDir, "master.key"), "utf8").trim();
		const settings = { ...other, LATCHKEY_MASTER_KEY: masterKey };
		const temporary = join(folder, "temporary");
		mkdirSync(temporary);
		const { stdout } = await run("sh", ["-c", '"$0" "$1" restore - < "$2"', process.execPath, ENTRY, file], {
			env: { PATH: process.env.PATH, TMPDIR: temporary, ...settings },
		});
		assert.match(stdout, /^restored /);
		assert.deepEqual(readdirSync(temporary), []);
		const again = await runProgram(["restore", "-"], { env: settings, input: "not a backup" });
		assert.match(again.stderr, /^latchkey: standard input was not created by latchkey backup/m);
	});

	test("latchkey import imports every user once when repeated after kill -9", async () => {
		const file = join(folder, "many.jsonl");
		const count = 6_000;
		const people = Array.from({ length: count }, (_, number) => ({
			username: `many-${number}`,
			email: `many-${number}@people.example`,
		}));
		writeFileSync(file, people.map((person) => `${JSON.stringify(person)}\n`).join(""));
		const database = openSqlite(join(dataDir, "latchkey.db"));
		const total = async (): Promise<number> => {
			const sql = "SELECT count(*) AS total FROM users WHERE username_key LIKE 'many-%'";
			return (await database.queries.one<{ total: number }>(sql))?.total ?? Number.NaN;
		};
		const killed = spawnProgram(["import", file], { env });
		const deadline = Date.now() + 20_000;
		while ((await total()) < 200 && Date.now() < deadline) await new Promise((done) => setTimeout(done, 5));
		await killed.end();
		const imported = await total();
		assert.ok(imported >= 200 && imported < count, `${imported} were imported before the kill`);
		const { code, stdout } = await runProgram(["import", file], { env });
		assert.deepEqual(
			[code, stdout],
			[0, `${count - imported} imported, ${imported} already present, 0 refused\n`],
		);
		assert.equal(await total(), count);
		await database.close();
	});

	test("latchkey health exits with 1 while the service drains, and with --live with 0", async () => {
		program.kill("SIGTERM");
		await program.printed(/"msg":"stopping"/);
		const ready = await runProgram(["health"], { env });
		assert.match(ready.stderr, /^latchkey: \/health returned 503\n$/);
		const live = await runProgram(["health", "--live"], { env });
		assert.deepEqual([ready.code, live.code], [1, 0]);
		assert.equal(JSON.parse(live.stdout).data.status, "stopping");
	});
});
