import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../harness/runs/folder.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the tour of the gate", () => {
	test("refuses a person whom a directory switched off, a replay, a changed body, and 50 replays after a crash", async () => {
		using folder = temporaryFolder();
		const env = { ...process.env, TMPDIR: folder.path };
		const tour = join(import.meta.dirname, "gate-tour.ts");
		const { stdout } = await promisify(execFile)(process.execPath, [tour], { timeout: 120_000, env });
		assert.match(stdout, /^ {3}200 \{"order":"\/orders\/7","caller":"Acme"\}$/m);
		assert.match(stdout, /^ {3}200 \{"order":"\/orders\/9","caller":"dana"\}$/m);
		assert.match(stdout, /"active":false\}\n {3}\$ curl -k -b "\$COOKIE" \S+\/orders\/9\n {3}401\n/);
		assert.match(stdout, /changed body: 401\n {3}as signed: 200\n {3}again: 401\n/);
		assert.match(stdout, /while it is down: 50 times 503\n {3}after the start: 50 replays, 0 accepted\n/);
		assert.doesNotMatch(stdout, /(?:sk|gk)_[A-Za-z0-9_-]{43}/);
		assert.match(stdout, /\nEvery step succeeded in [0-9.]+ s\.\n/);
		for (const [path] of stdout.matchAll(/docs\/\S+\.md/g)) assert.ok(existsSync(join(ROOT, path)), path);
		assert.deepEqual(
			readdirSync(folder.path).filter((name) => name.startsWith("latchkey-")),
			[],
		);
	});
});
