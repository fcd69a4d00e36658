// `latchkey health` beside a running service, over both listeners, and without one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { temporaryFolder } from "../harness/folder.ts";
import { ownSettings, runProgram, startProgram } from "../harness/program.ts";

describe("latchkey health", () => {
	test("prints the health of the service and exits with 0, over HTTP, or over HTTPS where HTTP is off", async () => {
		using folder = temporaryFolder();
		const settings = await ownSettings(`${folder.path}/data`);
		const program = await startProgram({ env: settings });
		try {
			for (const env of [
				settings,
				{ ...settings, LATCHKEY_PORT: "0" },
				{ ...settings, LATCHKEY_HOST: "0.0.0.0" },
			]) {
				const { code, stdout } = await runProgram(["health"], { env });
				assert.equal(code, 0);
				assert.equal(JSON.parse(stdout).data.status, "ok");
			}
		} finally {
			await program.end();
		}
	});

	test("exits with 6 and one line when no service answers, with 1 at 503, which is enough for --live", async () => {
		using folder = temporaryFolder();
		const env = { ...(await ownSettings(`${folder.path}/data`)), LATCHKEY_DRAIN_SECONDS: "5" };
		const away = await runProgram(["health"], { env });
		assert.equal(away.code, 6);
		assert.match(away.stderr, /does not answer: connect ECONNREFUSED/);
		const program = await startProgram({ env });
		try {
			program.kill("SIGTERM");
			await program.printed(/"msg":"stopping"/);
			const [ready, live] = await Promise.all([
				runProgram(["health"], { env }),
				runProgram(["health", "--live"], { env }),
			]);
			assert.deepEqual([ready.code, live.code], [1, 0]);
			assert.match(ready.stderr, /\/health answered 503/);
			assert.equal(JSON.parse(live.stdout).data.status, "stopping");
		} finally {
			await program.end();
		}
	});
});
