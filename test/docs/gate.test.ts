// docs/gate.md, followed line by line behind Caddy, with each of its programs as the application.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import packageJson from "../../packages/client/package.json" with { type: "json" };
import { compileClient } from "../../scripts/build-packages.ts";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { BEHIND_PROXY, sha256 } from "../harness/access/gate-calls.ts";
import { firstResponse } from "../harness/openid/example-program.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { freePorts } from "../harness/processes/program.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { GATE_PROXIES } from "../harness/proxies/gate-proxies.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";
import { lastingFolder, temporaryFolder } from "../harness/runs/folder.ts";
import { readDocument, sections } from "./document.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const GUIDE = readDocument("docs/gate.md");
const FILES: Readonly<Record<string, string>> = {
	...filesIn(GUIDE),
	"orders.php": /^```php\n(.*?)^```$/ms.exec(GUIDE)?.[1] ?? assert.fail("docs/gate.md has no PHP"),
};
const INSTALLATION = `npm install "$LK_BASE_URL/docs/packages/latchkey-client-${packageJson.version}.tgz"`;
const BODY = '{"item":"pen"}';
const PARTNER = "partner:0199a5b0-0000-7000-8000-000000000001";

const PROGRAMS = [
	{ file: "orders.mjs", tool: "node", args: (file: string) => [process.execPath, file] },
	{ file: "orders.py", tool: "python3", args: (file: string) => ["python3", file] },
	{ file: "orders.go", tool: "go", args: (file: string) => ["go", "run", file] },
	{
		file: "orders.php",
		tool: "php",
		args: (file: string, port: number) => ["php", "-S", `127.0.0.1:${port}`, file],
	},
] as const;

/** Starts a program of the guide. */
async function startProgram({ file, args }: (typeof PROGRAMS)[number]) {
	const folder = temporaryFolder();
	const path = join(folder.path, file);
	writeFileSync(path, FILES[file] ?? assert.fail(`docs/gate.md has no ${file}`));
	const [port = 0] = await freePorts(1);
	const [command = "", ...others] = args(path, port);
	const env = { ...process.env, PORT: String(port), GOCACHE: join(folder.path, "go"), GOFLAGS: "-mod=mod" };
	// A group of its own: `go run` starts the program as a child.
	const child = spawn(command, others, { env, cwd: folder.path, detached: true });
	await firstResponse(`http://127.0.0.1:${port}/`, child);
	return {
		port,
		async stop() {
			process.kill(-(child.pid as number), "SIGKILL");
			if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
			folder[Symbol.dispose]();
		},
	};
}

/** The package as `npm install` leaves it, without a registry. */
function installClient(folder: string): void {
	const modules = join(folder, "node_modules");
	const installed = join(modules, packageJson.name);
	compileClient(join(installed, "dist"));
	copyFileSync(join(ROOT, "packages/client/package.json"), join(installed, "package.json"));
	mkdirSync(join(modules, ".bin"));
	const command = join(installed, packageJson.bin["latchkey-sign"]);
	chmodSync(command, 0o755);
	symlinkSync(command, join(modules, ".bin/latchkey-sign"));
}

function post(port: number, headers: Record<string, string>, body = BODY): Promise<string> {
	return new Promise((resolve, reject) => {
		const request = http.request(
			{ port, host: "127.0.0.1", method: "POST", path: "/orders/", headers, agent: false },
			async (response) => resolve(`${response.statusCode} ${(await text(response)).trim()}`),
		);
		request.on("error", reject);
		request.end(body);
	});
}

/** The shell code of a section. */
function shell(...titles: string[]): string {
	const found = sections(GUIDE);
	return titles
		.flatMap((title) => [...(found.get(title) ?? "").matchAll(/^```sh\n(.*?)^```$/gms)])
		.map(([, code]) => code)
		.join("\n");
}

describe("docs/gate.md", () => {
	for (const program of PROGRAMS)
		describe(`has ${program.file}`, { skip: skippedWithout(program.tool) }, () => {
			const app = fixture(() => startProgram(program));
			after(() => app.stop?.());

			it("compares the body that a partner signed with the one that arrived", async () => {
				const signed = { "latchkey-caller": PARTNER, "latchkey-body-sha256": sha256(BODY) };
				assert.equal(await post(app.port, signed), `200 POST /orders/ by ${PARTNER}`);
				assert.equal(await post(app.port, signed, '{"item":"gun"}'), "401 the body was changed");
				assert.equal(await post(app.port, { "latchkey-caller": PARTNER }), "401 the body was changed");
			});

			it("lets people pass without a signed body, and refuses calls that bypass the gate", async () => {
				const person = { "latchkey-caller": "person:1", "latchkey-body-sha256": "-" };
				assert.equal(await post(app.port, person), "200 POST /orders/ by person:1");
				assert.equal(await post(app.port, {}), "403 not through the gate");
			});
		});

	const [, caddy] = GATE_PROXIES;
	const skip = caddy?.skip || skippedWithout("bash", "curl", "jq");
	describe("followed with Caddy", { skip }, () => {
		const service = testService({ env: BEHIND_PROXY });
		const app = fixture(() => startProgram(PROGRAMS[0]));
		const folder = lastingFolder();
		const trusted = join(folder, "trusted.pem");
		const output = { text: "" };
		const closing: (() => Promise<void>)[] = [];
		after(async () => {
			for (const close of closing) await close();
			await app.stop?.();
		});

		const type = async (code: string, env: Record<string, string>): Promise<string> => {
			const { stdout } = await run("bash", ["-e", "-c", code], {
				cwd: folder,
				env: {
					PATH: `${folder}:${process.env.PATH}`,
					CURL_CA_BUNDLE: trusted,
					NODE_EXTRA_CA_CERTS: trusted,
					...env,
				},
			});
			return stdout;
		};

		setup(async () => {
			installClient(folder);
			writeFileSync(
				join(folder, "replay.mjs"),
				FILES["replay.mjs"] ?? assert.fail("docs/gate.md has no replay.mjs"),
			);
			const own = readFileSync(join(service.dataDir, "tls-cert.pem"), "utf8");
			writeFileSync(trusted, own);
			const issuer = `https://localhost:${service.httpsPort}`;
			const env = { LK_BASE_URL: issuer, ADMIN_KEY: (await addAdminKey(service)).key };
			const rules = shell("Write the rules");
			const stored = await type(`${rules}\necho; echo "$APP_ID $GATE_KEY"`, env);
			const [application_id = "", gate_key = ""] = stored.trim().split(/\s+/).slice(-2);
			const gate = { application_id, gate_key };
			const proxy = await caddy?.start({ gate, gatePort: service.httpPort, appPort: app.port });
			assert.ok(proxy !== undefined);
			closing.push(() => proxy.remove());
			writeFileSync(trusted, `${own}\n${proxy.certificate}`);
			const code = shell(
				"Let a partner in",
				"When a request is refused",
				"Without a proxy",
				"Sign people in at another host",
			)
				// Installed above, without a registry.
				.replace(INSTALLATION, "")
				.replaceAll("https://orders.example.com", `https://localhost:${proxy.httpsPort}`)
				.replaceAll("https://auth.example.com", issuer);
			assert.ok(GUIDE.includes(INSTALLATION), INSTALLATION);
			const values = { ...env, APP_ID: application_id, GATE_KEY: gate_key };
			// The next line of a printed response is the output of the next command.
			const [helper = ""] = /^api\(\) .*$/m.exec(rules) ?? [];
			output.text = await type(`${helper}\n${code}`, values);
		});

		it("lets the partner's calls pass once, and refuses the replay", () => {
			const outcomes = output.text.match(/(?:GET|POST) \/orders\/\S* by partner:|X-Nonce was used before/g);
			const get = "GET /orders/1 by partner:";
			assert.deepEqual(outcomes, [get, "POST /orders/ by partner:", get, "X-Nonce was used before"]);
		});

		it("explains a refusal, and decides for a middleware", () => {
			assert.match(output.text, /"allowed":false,"code":"token\.missing".*"rule":2/);
			assert.match(output.text, /\{"data":\[/);
			assert.match(output.text, /"allowed":true,"caller":\{"kind":"public"/);
			assert.match(output.text, /"browser_origin":"https:\/\/localhost:\d+"/);
		});
	});
});
