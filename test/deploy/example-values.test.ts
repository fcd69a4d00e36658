// The service refuses to start with the example files and names each setting to edit.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { refuseExampleValues } from "../../src/config/example-values.ts";
import { loadConfig } from "../../src/config/load.ts";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { snapshot, temporaryFolder } from "../harness/runs/folder.ts";
import { readEnvFile } from "./delivered.ts";

const OWN: Readonly<Record<string, string>> = {
	LATCHKEY_PUBLIC_URL: "https://auth.partner.example",
	LATCHKEY_SMTP_URL: "smtp://127.0.0.1:9",
	LATCHKEY_MAIL_FROM: "Accounts <accounts@partner.example>",
	LATCHKEY_ADMIN_EMAIL: "ops@partner.example",
	LATCHKEY_DATABASE_URL: "postgres://latchkey:own@127.0.0.1:1/latchkey",
};
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
	systemd: ["systemd/latchkey.env.example"],
	compose: ["compose/latchkey.env.example"],
	"the production set": ["compose/production/latchkey.env.example"],
	Kubernetes: ["kustomize/config.env.example", "kustomize/secret.env.example"],
};

describe("the example settings", () => {
	for (const [what, files] of Object.entries(EXAMPLES))
		test(`of ${what} are refused, one setting at a time, and change nothing`, async () => {
			using folder = temporaryFolder();
			const delivered = Object.assign({}, ...files.map((file) => readEnvFile(file)));
			const env: Record<string, string> = {
				...delivered,
				...(await ownSettings(join(folder.path, "data"))),
				...("LATCHKEY_MASTER_KEY" in delivered && { LATCHKEY_MASTER_KEY: MASTER_KEY }),
			};
			const expected = Object.keys(OWN).filter((name) => name in delivered);
			const edited: string[] = [];
			for (const _ of expected) {
				const { code, stdout, stderr } = await runCommand(["serve"], { env });
				const [, name = ""] = /^latchkey: (LATCHKEY_\w+) still contains [^\n]+\n$/.exec(stderr) ?? [];
				assert.deepEqual([code, stdout, name in OWN], [1, "", true], stderr);
				assert.doesNotMatch(stderr, /change-me/);
				env[name] = OWN[name] ?? "";
				edited.push(name);
			}
			assert.deepEqual(edited.sort(), expected.sort());
			assert.equal(snapshot(folder.path).length, 1);
		});

	test("start the service once edited", async () => {
		using folder = temporaryFolder();
		const delivered = readEnvFile("systemd/latchkey.env.example");
		const { LATCHKEY_DATABASE_URL: _, ...own } = OWN;
		const env = { ...delivered, ...own, ...(await ownSettings(join(folder.path, "data"))) };
		const program = await startProgram({ env });
		await program.end();
	});

	test("are reported by the doctor", async () => {
		using folder = temporaryFolder();
		const dataDir = join(folder.path, "data");
		const env = { ...(await ownSettings(dataDir)), LATCHKEY_MAIL_FROM: "accounts@example.com" };
		const { code, stdout } = await runCommand(["doctor"], { env });
		assert.equal(code, 1);
		assert.match(
			stdout,
			/^fail +settings +LATCHKEY_MAIL_FROM still contains the example accounts@example\.com;/m,
		);
	});
});

describe("refuseExampleValues", () => {
	const key = { LATCHKEY_MASTER_KEY: MASTER_KEY };
	for (const [env, name] of [
		[{ LATCHKEY_PUBLIC_URL: "https://EXAMPLE.org:8443" }, "LATCHKEY_PUBLIC_URL"],
		[{ LATCHKEY_SMTP_URL: "smtp://mail.example.net" }, "LATCHKEY_SMTP_URL"],
		[{ LATCHKEY_SMTP_URL: "smtps://a:change-me@mail.test:465" }, "LATCHKEY_SMTP_URL"],
		[{ LATCHKEY_DATABASE_URL: "postgres://a:change-me@h1:1,h2/x", ...key }, "LATCHKEY_DATABASE_URL"],
		[{ LATCHKEY_REDIS_URL: "redis://:change-me@cache" }, "LATCHKEY_REDIS_URL"],
		[{ LATCHKEY_ADMIN_EMAIL: "a@b.example.com" }, "LATCHKEY_ADMIN_EMAIL"],
	] as const)
		test(`refuses ${Object.values(env)[0]}`, () =>
			assert.throws(() => refuseExampleValues(loadConfig(env)), { name: "ConfigError", variable: name }));

	for (const env of [
		{},
		{ LATCHKEY_PUBLIC_URL: "https://myexample.com" },
		{ LATCHKEY_PUBLIC_URL: "https://example.com.test" },
		{ LATCHKEY_ADMIN_EMAIL: "example.com@mail.test" },
		{ LATCHKEY_SMTP_URL: "smtps://change-me:own@mail.test" },
	])
		test(`accepts ${JSON.stringify(env)}`, () => refuseExampleValues(loadConfig(env)));
});
