import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { EXIT_STATUS } from "../../src/cli/exit-status.ts";
import { runCommand } from "../harness/processes/command.ts";
import { type Exit, ownSettings } from "../harness/processes/program.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { lastingFolder, temporaryFolder } from "../harness/runs/folder.ts";
import { makeInstallation } from "../harness/service/installation.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the output of every command", () => {
	const root = lastingFolder();
	const home = join(root, "data");
	const env = fixture(() => ownSettings(home));
	setup(async () => {
		await makeInstallation(env);
	});

	const run = (...args: string[]): Promise<Exit> => runCommand(args, { env });
	const create = ["admin", "create", "--email", "x@ops.example", "--username"];
	const objects = ({ stdout }: Exit) =>
		stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));

	test("is one JSON object per line with --json, before or after the command", async () => {
		const [created] = objects(await run("--json", ...create, "json-1"));
		assert.deepEqual(Object.keys(created), ["id", "username", "email", "roles", "password"]);
		const [verified] = objects(await run("audit", "verify", "--json"));
		assert.deepEqual([verified.tenant, verified.ok, verified.broken], ["default", true, null]);
		const keys = objects(await run("keys", "list", "--json"));
		assert.deepEqual(
			keys.map(({ state }) => state),
			["signing"],
		);
		const levels = objects(await run("doctor", "--json")).map(({ level }) => level);
		assert.ok(levels.length > 5 && levels.includes("ok"), String(levels));
		assert.deepEqual(objects(await run("rekey", "--json")).length, 1);
	});

	test("is a JSON error on standard error with --json", async () => {
		const missing = await run("admin", "reset-password", "nobody", "--json", "--quiet");
		assert.deepEqual(JSON.parse(missing.stderr), {
			error: { code: "not_found", message: 'there is no user "nobody"', exit_status: 3 },
		});
		const wrong = await run("serv", "--json");
		assert.equal(JSON.parse(wrong.stderr).error.code, "usage");
		assert.deepEqual([missing.stdout, wrong.stdout], ["", ""]);
	});

	test("has no confirmations or remarks with --quiet, but a generated password", async () => {
		const created = await run(...create.with(-2, "y@ops.example"), "quiet-1", "--quiet");
		assert.match(created.stdout, /^password: \S{20} {2}\(shown only this once\)\n$/);
		assert.deepEqual([created.named, created.stderr], [undefined, ""]);
		const rekeyed = await run("--quiet", "rekey");
		assert.deepEqual([rekeyed.code, rekeyed.stdout, rekeyed.stderr], [0, "", ""]);
	});

	test("includes progress on a terminal only, and not with --quiet", async () => {
		const shown = await runCommand(["audit", "verify"], { env, onTerminal: true });
		assert.match(shown.stderr, /^default: \d+ events verified so far$/m);
		const quiet = await runCommand(["audit", "verify", "--quiet"], { env, onTerminal: true });
		assert.deepEqual([quiet.code, quiet.stderr], [0, ""]);
		assert.equal((await run("audit", "verify")).stderr, "");
	});
});

describe("the exit status", () => {
	test("of each kind is in the table of commands.md, and no other", () => {
		const text = readFileSync(join(ROOT, "docs/commands.md"), "utf8");
		const rows = [...text.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, status, name]) => [
			name,
			Number(status),
		]);
		assert.deepEqual(Object.fromEntries(rows), { ...EXIT_STATUS });
	});

	test("is 5 for a damaged database, and 6 for an unavailable one", async () => {
		using folder = temporaryFolder();
		const env = await ownSettings(folder.path);
		assert.equal((await runCommand(["migrate"], { env })).code, EXIT_STATUS.done);
		writeFileSync(join(folder.path, "latchkey.db"), "hello".repeat(2_000));
		const damaged = await runCommand(["keys", "list"], { env });
		assert.equal(damaged.code, EXIT_STATUS.damaged, damaged.stderr);
		const away = {
			...env,
			LATCHKEY_DATABASE_URL: "postgres://u@127.0.0.1:1/x",
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
		};
		assert.equal((await runCommand(["keys", "list"], { env: away })).code, EXIT_STATUS.away);
	});
});
