// The number of modules that a service loads until it is ready: each takes about a millisecond of a start.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

/** 815 on 2026-11-28. Load what only some requests need with their first one. */
const MODULES_MAX = 830;
/** Libraries that a first request, or a setting, loads. */
const LATER = [
	"ajv",
	"fast-json-stringify",
	"undici",
	"@opentelemetry",
	"oidc-provider",
	"pg",
	"ioredis",
	"nodemailer",
];

/** Prints the URL of each loaded module when the process ends. */
const COUNT = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ load(url, context, next) { if (url.startsWith("file:")) loaded.add(url); return next(url, context); } });
process.once("SIGUSR2", () => process.stderr.write([...loaded, "end"].map((url) => "loaded: " + url + "\\n").join("")));
`;

describe("a start", () => {
	test("loads few modules, and the libraries of requests later", async () => {
		using folder = temporaryFolder();
		const env = await ownSettings(folder.path);
		const first = await startProgram({ env });
		first.kill("SIGTERM");
		await first.exited;
		const nodeOptions = [
			"--max-semi-space-size=8",
			"--import",
			`data:text/javascript,${encodeURIComponent(COUNT)}`,
		];
		const program = await startProgram({ env, nodeOptions });
		try {
			program.kill("SIGUSR2");
			await program.printed(/^loaded: end$/m);
			const loaded = [...program.stderr().matchAll(/^loaded: (file:.+)$/gm)].map(([, url = ""]) => url);
			assert.ok(loaded.length > 300 && loaded.length <= MODULES_MAX, `${loaded.length} modules`);
			for (const name of LATER)
				assert.deepEqual(
					loaded.filter((url) => url.includes(`/node_modules/${name}/`)),
					[],
				);
		} finally {
			await program.end();
		}
	});
});
