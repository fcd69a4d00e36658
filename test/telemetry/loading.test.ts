// OpenTelemetry is loaded only with an endpoint. `test/cli/loaded-packages.test.ts` lists the packages loaded without one.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { startOtlpReceiver } from "../harness/telemetry/otlp-receiver.ts";

const REPORT = `
import { registerHooks } from "node:module";
registerHooks({
	resolve(specifier, context, next) {
		if (specifier.startsWith("@opentelemetry/")) process._rawDebug("resolved " + specifier);
		return next(specifier, context);
	},
});`;

async function loadedBy(settings: Readonly<Record<string, string>>): Promise<string[]> {
	using folder = temporaryFolder();
	const program = await startProgram({
		env: { ...(await ownSettings(join(folder.path, "data"))), ...settings },
		nodeOptions: ["--import", `data:text/javascript,${encodeURIComponent(REPORT)}`],
	});
	try {
		assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
		program.kill("SIGTERM");
		const { code, stderr } = await program.exited;
		assert.equal(code, 0);
		return stderr.match(/^resolved @opentelemetry\/\S+/gm) ?? [];
	} finally {
		await program.end();
	}
}

describe("serve", () => {
	it("loads OpenTelemetry with an endpoint, and sends the last traces and metrics on SIGTERM", async () => {
		await using receiver = await startOtlpReceiver();
		assert.ok((await loadedBy({ LATCHKEY_OTLP_ENDPOINT: receiver.url })).length > 5);
		assert.deepEqual(
			receiver.spans.map(({ name }) => name),
			["GET /health"],
		);
		assert.ok(receiver.metrics.length > 30);
		assert.deepEqual(receiver.faults, []);
	});

	it("refuses an invalid endpoint in one line", async () => {
		using folder = temporaryFolder();
		const env = { ...(await ownSettings(folder.path)), LATCHKEY_OTLP_ENDPOINT: "collector:4318" };
		const { code, stderr } = await runCommand(["serve"], { env });
		assert.equal(code, 1);
		assert.equal(
			stderr.trim(),
			'latchkey: LATCHKEY_OTLP_ENDPOINT is "collector:4318"; it must be http://host or https://host with an optional port and path, without credentials and query',
		);
	});
});
