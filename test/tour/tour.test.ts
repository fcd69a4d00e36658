import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../harness/folder.ts";
import { ownSettings, startProgram } from "../harness/program.ts";
import { Stage } from "./stage.ts";
import { walk } from "./walk.ts";

const TOUR = join(import.meta.dirname, "tour.ts");

describe("the tour", () => {
	test("walks the whole main job, prints every step, and shows no whole secret", async () => {
		const { stdout } = await promisify(execFile)(process.execPath, [TOUR], { timeout: 60_000 });
		for (const step of [
			"1. A partner asks",
			"5. The same call again is a replay",
			"9. The admin grants access",
		])
			assert.match(stdout, new RegExp(`^${step}`, "m"));
		assert.match(stdout, /^ {3}\$ curl -k https:\S+\/api\/v1\/access-requests --json '\{/m);
		assert.match(stdout, /^ {3}\$ npx latchkey sign -k --nonce /m);
		assert.match(stdout, /^ {3}401 \{"error":/m);
		assert.match(stdout, /^ {3}200 .*"allowed":false,"reason":"not_assigned"/m);
		assert.match(stdout, /^ {3}200 .*"allowed":true,"reason":"ok"/m);
		assert.doesNotMatch(stdout, /sk_[A-Za-z0-9_-]{43}/);
		assert.match(stdout, /\nAll of it works, in [0-9.]+ s\.\n$/);
	});

	test("fails at the step that does", async () => {
		using folder = temporaryFolder();
		const env = {
			...(await ownSettings(folder.path)),
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "2",
			LATCHKEY_ADMIN_PASSWORD: "the password of the tour",
		};
		const program = await startProgram({ env });
		const printed: string[] = [];
		try {
			const stage = new Stage(program, (line) => printed.push(line));
			await assert.rejects(
				walk({ stage, dataDir: folder.path, adminPassword: env.LATCHKEY_ADMIN_PASSWORD }),
				/^Error: step 2 "A reviewer signs in and approves" failed: 200 was expected, 429 came$/,
			);
		} finally {
			await program.end();
		}
		assert.match(printed.at(-1) ?? "", /^ {3}429 \{"error":"too many requests/);
		assert.doesNotMatch(printed.join("\n"), /the password of the tour/);
	});
});
