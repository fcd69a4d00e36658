// `latchkey health` beside a running service, over both listeners, and without one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { serveInstallation } from "../harness/service/installation.ts";

describe("latchkey health", () => {
	test("prints the health of the service over HTTP, or over HTTPS where HTTP is off", async () => {
		using folder = temporaryFolder();
		const settings = await ownSettings(`${folder.path}/data`);
		const service = await serveInstallation(settings);
		try {
			for (const env of [
				settings,
				{ ...settings, LATCHKEY_PORT: "0" },
				{ ...settings, LATCHKEY_HOST: "0.0.0.0" },
			]) {
				const { code, stdout } = await runCommand(["health"], { env });
				assert.equal(code, 0);
				assert.equal(JSON.parse(stdout).data.status, "ok");
			}
		} finally {
			await service.stop();
		}
	});

	test("exits with 6 and one line when no service responds", async () => {
		using folder = temporaryFolder();
		const { code, stderr } = await runCommand(["health"], { env: await ownSettings(`${folder.path}/data`) });
		assert.equal(code, 6);
		assert.match(stderr, /^latchkey: [^\n]+ does not respond: connect ECONNREFUSED[^\n]*\n$/);
	});
});
