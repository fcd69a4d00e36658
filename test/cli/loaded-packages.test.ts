import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { freePorts, ownSettings, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { makeInstallation } from "../harness/service/installation.ts";

const { dependencies } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
	readonly dependencies: Readonly<Record<string, string>>;
};

/** What every start needs: the server, its validation and log, the command line, passwords and tokens. */
const AT_EVERY_START = [
	"@node-rs/bcrypt",
	"ajv",
	"commander",
	"fast-json-stringify",
	"find-my-way",
	"ipaddr.js",
	"jose",
	"otpauth",
	"pino",
	"secure-json-parse",
];

/** When the process exits, prints the packages that it loaded. */
const RECORDER = `
import { registerHooks } from "node:module";
const packages = new Set();
registerHooks({
	load(url, context, nextLoad) {
		const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
		if (name !== undefined) packages.add(name);
		return nextLoad(url, context);
	},
});
process.on("exit", () => process.stderr.write("loaded: " + [...packages].join(" ") + "\\n"));
`;

/**
 * The dependencies of the service that a start and a request load. Does not count the first start of a folder, which
 * creates keys and a certificate.
 */
async function loadedBy(settings: Readonly<Record<string, string>>): Promise<string[]> {
	using root = temporaryFolder();
	const env = { ...(await ownSettings(root.path)), ...settings };
	await makeInstallation(env);
	const nodeOptions = ["--import", `data:text/javascript,${encodeURIComponent(RECORDER)}`];
	const program = await startProgram({ env, nodeOptions });
	assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
	program.kill("SIGTERM");
	const { stderr } = await program.exited;
	const packages = /^loaded: (.*)$/m.exec(stderr)?.[1]?.split(" ") ?? [];
	return packages.filter((name) => Object.hasOwn(dependencies, name)).sort();
}

describe("a start on the embedded database", () => {
	test("loads no package that its settings do not need", async () => {
		assert.deepEqual(await loadedBy({}), AT_EVERY_START);
	});

	test("loads what its settings need, so that the start fails if a package is missing", async () => {
		const [metricsPort] = await freePorts(1);
		const loaded = await loadedBy({
			LATCHKEY_METRICS_PORT: String(metricsPort),
			LATCHKEY_SMTP_URL: "smtp://127.0.0.1:9",
		});
		assert.deepEqual(
			loaded.filter((name) => !AT_EVERY_START.includes(name)),
			["@opentelemetry/api", "nodemailer", "prom-client"],
		);
	});
});
