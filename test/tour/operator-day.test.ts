import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../harness/runs/folder.ts";

const OPERATOR_DAY = join(import.meta.dirname, "operator-day.ts");
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

describe("the operator's day", () => {
	test("succeeds without an id in any typed command, and prints no complete secret", async () => {
		using folder = temporaryFolder();
		const env = { ...process.env, TMPDIR: folder.path };
		const { stdout } = await promisify(execFile)(process.execPath, [OPERATOR_DAY], { timeout: 180_000, env });
		const typed = stdout.split("\n").filter((line) => line.startsWith("   $ "));
		assert.ok(typed.length > 40, `${typed.length} commands`);
		assert.deepEqual(
			typed.filter((line) => UUID.test(line)),
			[],
		);
		for (const command of [
			"api POST /users",
			"api GET /users",
			"user unlock",
			"api GET /requests",
			"api GET /refusals",
			"api GET /mails",
			"api GET /stats",
		])
			assert.ok(
				typed.some((line) => line.startsWith(`   $ bin/latchkey ${command} `)),
				command,
			);
		assert.ok(typed.some((line) => line.endsWith('-H "Authorization: Bearer $ADMIN_KEY"')));
		assert.match(stdout, /"reason":"signature\.mismatch"/);
		assert.match(stdout, /"failed_check":"signature"/);
		assert.match(stdout, /"reason":"not_assigned","needed":\[\{"what":"grant"\}\]/);
		assert.doesNotMatch(stdout, /(?:sk|lk)_[A-Za-z0-9_-]{43}/);
		assert.match(stdout, /\nEvery step succeeded in [0-9.]+ s\.\n/);
		assert.deepEqual(
			readdirSync(folder.path).filter((name) => name.startsWith("latchkey-")),
			[],
		);
	});
});
