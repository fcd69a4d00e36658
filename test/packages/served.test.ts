// docs/packages.md and the first call of docs/signing.md, followed line by line: a service serves the packages, and its programs call it.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { buildPackages } from "../../scripts/build-packages.ts";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { addApiClient, type CreatedClient } from "../harness/access/applications.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const GUIDES = ["docs/packages.md", "docs/signing.md"].map((file) => readFileSync(join(ROOT, file), "utf8"));
const PROGRAMS = Object.assign({}, ...GUIDES.map(filesIn)) as Record<string, string>;
const SHELL = [...GUIDES.join("\n").matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = ""]) => code);
const { version } = packageJson;
const TGZ = `latchkey-client-${version}.tgz`;
const WHEEL = `latchkey-${version}-py3-none-any.whl`;
const GO = `latchkey-go-${version}.tar.gz`;

/** `false`, or the reason to skip. With `CI` set, a missing tool is a failure. */
function without(tool: string, ...arguments_: string[]): false | string {
	if (process.env.CI !== undefined) return false;
	try {
		execFileSync(tool, arguments_, { stdio: "ignore" });
		return false;
	} catch {
		return `no ${[tool, ...arguments_].join(" ")} here`;
	}
}

describe("packages that a service serves", { timeout: 600_000 }, () => {
	let fronted: FrontedService;
	let client: CreatedClient;
	let folder: string;
	let environment: NodeJS.ProcessEnv;
	before(async () => {
		buildPackages();
		fronted = await startFrontedService();
		client = await addApiClient(fronted.service);
		folder = mkdtempSync(join(tmpdir(), "latchkey-packages-"));
		const certificate = join(fronted.service.dataDir, "tls-cert.pem");
		environment = {
			...process.env,
			LK_BASE_URL: fronted.publicUrl,
			LK_TENANT_ID: client.tenant_id,
			LK_APP_ID: client.app_id,
			LK_API_KEY: client.api_key,
			LK_SECRET: client.secret,
			NODE_EXTRA_CA_CERTS: certificate,
			SSL_CERT_FILE: certificate,
			CURL_CA_BUNDLE: certificate,
			REQUESTS_CA_BUNDLE: certificate,
			PIP_CONFIG_FILE: "/dev/null",
			PIP_NO_INDEX: "1",
			PIP_TARGET: join(folder, "python"),
			PIP_DISABLE_PIP_VERSION_CHECK: "1",
			PYTHONPATH: join(folder, "python"),
			// Replaces the authorities of the machine, which some installations of npm configure.
			npm_config_cafile: certificate,
			// npm asks the registry for the optional peer; with this authority it fails, and npm continues without a response.
			npm_config_fetch_retries: "0",
			npm_config_audit: "false",
			npm_config_fund: "false",
			npm_config_cache: join(folder, "npm"),
			GOCACHE: process.env.GOCACHE ?? join(folder, "go-cache"),
			GOFLAGS: "-mod=mod",
			GOPROXY: "off",
		};
	});
	after(async () => {
		await fronted?.[Symbol.asyncDispose]();
		if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
	});

	const download = async (name: string) => {
		const response = await fetch(`${fronted.service.httpUrl}/docs/packages/${name}`);
		assert.equal(response.status, 200, name);
		return Buffer.from(await response.arrayBuffer());
	};
	/** Runs the lines of the guide that contain `part`, with the URL of this service. */
	const follow = async (part: string): Promise<void> => {
		const lines = SHELL.find((code) => code.includes(part));
		assert.ok(lines, part);
		const script = lines.replaceAll("https://auth.example.com", fronted.publicUrl);
		await run("sh", ["-e", "-c", script], { cwd: folder, env: environment });
	};
	const start = async (program: string, ...arguments_: string[]): Promise<string> => {
		const file = arguments_.at(-1) ?? "";
		assert.ok(PROGRAMS[file], file);
		writeFileSync(join(folder, file), PROGRAMS[file]);
		const { stdout } = await run(program, arguments_, { cwd: folder, env: environment });
		return stdout;
	};

	test("have the checksums that are served with them", async () => {
		const sums = (await download("SHA256SUMS")).toString().trim().split("\n");
		assert.deepEqual(
			sums.map((line) => line.split("  ")[1]),
			[TGZ, WHEEL, GO],
		);
		for (const line of sums) {
			const [sum, name = ""] = line.split("  ");
			const digest = createHash("sha256")
				.update(await download(name))
				.digest("hex");
			assert.equal(digest, sum, name);
		}
	});

	test("are listed with their checksums", async () => {
		const page = (await download("")).toString();
		for (const line of (await download("SHA256SUMS")).toString().trim().split("\n")) {
			const [sum, name = ""] = line.split("  ");
			assert.ok(
				page.includes(`<a href="/docs/packages/${name}">${name}</a></td><td><code>${sum}</code>`),
				name,
			);
		}
	});

	test("contain what a program needs, and nothing else", async () => {
		for (const name of [TGZ, WHEEL, GO]) writeFileSync(join(folder, name), await download(name));
		const listed = (tool: string, ...arguments_: string[]) =>
			execFileSync(tool, arguments_, { cwd: folder, encoding: "utf8" }).trim().split("\n").sort();
		const modules = readdirSync(join(ROOT, "packages/client/src")).map((name) =>
			name.slice(0, -".ts".length),
		);
		assert.deepEqual(listed("tar", "tzf", TGZ), [
			"package/LICENSE",
			"package/README.md",
			...["admin-api.d.ts", "require.cjs", ...modules.flatMap((module) => [`${module}.d.ts`, `${module}.js`])]
				.map((name) => `package/dist/${name}`)
				.sort(),
			"package/package.json",
		]);
		assert.deepEqual(listed("tar", "tzf", GO), [
			"latchkey-go/LICENSE",
			"latchkey-go/README.md",
			"latchkey-go/gate.go",
			"latchkey-go/go.mod",
			"latchkey-go/sign.go",
			"latchkey-go/transport.go",
		]);
		const script =
			"import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(*z.namelist(), sep='\\n')";
		const about = `latchkey-${version}.dist-info`;
		assert.deepEqual(listed("python3", "-c", script, WHEEL), [
			...["LICENSE", "METADATA", "RECORD", "WHEEL"].map((name) => `${about}/${name}`),
			...["__init__", "asgi", "gate", "httpx", "origins", "permissions"].map((name) => `latchkey/${name}.py`),
			"latchkey/py.typed",
			...["repeating", "requests", "signing", "wsgi"].map((name) => `latchkey/${name}.py`),
		]);
	});

	test("are the same bytes after another build", async () => {
		const before = await download("SHA256SUMS");
		buildPackages();
		assert.deepEqual(readFileSync(join(ROOT, "build/packages/SHA256SUMS")), before);
	});

	test("have the version of the service in every file that names one", () => {
		for (const file of [
			"packages/client/package.json",
			"packages/python/pyproject.toml",
			"docs/packages.md",
			"docs/signing.md",
		]) {
			const text = readFileSync(join(ROOT, file), "utf8");
			const versions = text.match(/\b\d+\.\d+\.\d+\b/g)?.filter((found) => !/^(127|203)\./.test(found));
			assert.ok(versions !== undefined && versions.length > 0, file);
			for (const found of versions) assert.equal(found, version, file);
		}
	});

	test("work in Node.js, with the types of the package", async () => {
		writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
		await follow("npm install");
		assert.match(await start(process.execPath, "whoami.mjs"), new RegExp(client.id));
		assert.match(await start(process.execPath, "first-call.mjs"), new RegExp(client.id));
		await follow("npx --no -- latchkey-sign");
		const { key } = await addAdminKey(fronted.service);
		environment.LK_ADMIN_KEY = key;
		assert.equal(await start(process.execPath, "onboard.mjs"), "grace invited\n");
		const program = [
			'import { createClient } from "@latchkey/client";',
			'const client = createClient({ url: "", tenantId: "", appId: "", apiKey: "", secret: "" });',
			"export const name: Promise<string> = client.whoami().then(({ client }) => client.name);",
			"// @ts-expect-error: no such member",
			"void client.whoami().then(({ nobody }) => nobody);",
			'import { type components, createAdmin } from "@latchkey/client/admin";',
			'const admin = createAdmin({ url: "https://auth.example.com", adminKey: "lk_1" });',
			'export const users: AsyncIterable<components["schemas"]["User"]> = admin.each("/api/v1/users");',
			"// @ts-expect-error: no such route",
			'void admin.get("/api/v1/nothing");',
		];
		writeFileSync(join(folder, "typed.ts"), program.join("\n"));
		const options = ["--noEmit", "--strict", "--module", "nodenext", "--types", "node", "--ignoreConfig"];
		const typeRoots = ["--typeRoots", join(ROOT, "node_modules/@types")];
		await run(join(ROOT, "node_modules/.bin/tsc"), [...options, ...typeRoots, "typed.ts"], { cwd: folder });
	});

	test("say in Node.js what is missing: ES modules, and the package jose", async () => {
		const node = (...arguments_: string[]) =>
			run(process.execPath, arguments_, { cwd: folder, env: environment });
		const load = 'require("@latchkey/client"); require("@latchkey/client/gate");';
		await node("--input-type=commonjs", "-e", load);
		const older = ["--no-experimental-require-module", "--input-type=commonjs", "-e", load];
		await assert.rejects(node(...older), /@latchkey\/client is an ES module: use import/);
		const verify = [
			'import { createVerifier } from "@latchkey/client/verify";',
			'const options = { issuer: "https://auth.example.com", resource: "https://a.example", tenantId: "1" };',
			"await createVerifier(options)(process.argv[1]);",
		];
		const verified = node("--input-type=module", "-e", verify.join("\n"), "a.b.c");
		await assert.rejects(verified, /@latchkey\/client\/verify needs the package jose: npm install jose/);
	});

	test("work in Python", {
		skip: without("pip", "--version") || without("/usr/bin/python3", "-c", "import httpx"),
	}, async () => {
		await follow("pip install");
		assert.match(await start("/usr/bin/python3", "whoami.py"), new RegExp(client.id));
		assert.match(await start("/usr/bin/python3", "first_call.py"), new RegExp(client.id));
	});

	test("work in Go", { skip: without("go", "version") || without("curl", "--version") }, async () => {
		writeFileSync(join(folder, "go.mod"), "module example\n\ngo 1.19\n");
		await follow("go mod edit");
		assert.match(await start("go", "run", "whoami.go"), new RegExp(client.id));
		assert.match(await start("go", "run", "first_call.go"), new RegExp(client.id));
	});
});
