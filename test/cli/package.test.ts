import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
	chmodSync,
	chownSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { installPackage, proveInstalled } from "../../scripts/prove-package.ts";
import { olderNode } from "../harness/processes/older-node.ts";
import { ownSettings, spawnProgram, startProgram } from "../harness/processes/program.ts";
import { lastingFolder, snapshot, temporaryFolder } from "../harness/runs/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const { version, name } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
/** Inputs of a package; built in a copy, so that the checkout stays unchanged. */
const SOURCES = [
	...[
		"src",
		"bin",
		"pages",
		"packages",
		"deploy/gate",
		"deploy/systemd",
		"test/harness",
		"test/docs/openapi-document.ts",
		"scripts",
		"docs",
		"package.json",
		"tsconfig.json",
		"tsconfig.build.json",
	],
	...["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"],
];

const run = promisify(execFile);

async function pack(folder: string): Promise<string> {
	const copy = join(folder, "checkout");
	mkdirSync(copy);
	for (const source of SOURCES)
		if (existsSync(join(ROOT, source))) cpSync(join(ROOT, source), join(copy, source), { recursive: true });
	symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
	await run("npm", ["pack", "--pack-destination", folder], { cwd: copy, timeout: 300_000 });
	return join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}

describe("the package", () => {
	const folder = lastingFolder();
	let home: string;
	let installed: string;
	let tarball: string;
	before(async () => {
		tarball = await pack(folder);
		home = join(folder, "installed");
		installPackage(tarball, home);
		installed = join(home, "node_modules", name);
	});

	test("keeps compiled code beside itself, and nothing in the shared temporary folder", async () => {
		using shared = temporaryFolder();
		const { NODE_COMPILE_CACHE: _, ...env } = process.env;
		await run(process.execPath, [join(installed, "bin/latchkey.js"), "--version"], {
			env: { ...env, TMPDIR: shared.path },
		});
		assert.deepEqual(readdirSync(shared.path), []);
		assert.equal(readdirSync(join(installed, "node_modules/.cache/latchkey")).length, 1);
	});

	test("contains the compiled program, its pages, and the docs, but no sources or tests", () => {
		const files = readdirSync(installed, { recursive: true }).map(String);
		for (const file of [
			"bin/latchkey",
			"bin/latchkey.js",
			"dist/main.js",
			"dist/pages/guide.js",
			"dist/pages/page.css",
			"deploy/systemd/latchkey.service",
			"build/pages/manifest.json",
			"docs/configuration.md",
			"LICENSE",
		])
			assert.ok(files.includes(file), file);
		assert.deepEqual(
			files.filter(
				(file) =>
					/\.ts$|\.test\.|^(src|pages|test|scripts|bench)(\/|$)/.test(file) &&
					!file.startsWith("node_modules"),
			),
			[],
		);
	});

	test("contains every file beside the sources that is not TypeScript", () => {
		const sources = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true });
		for (const entry of sources) {
			if (!entry.isFile() || entry.name.endsWith(".ts")) continue;
			const place = join(entry.parentPath, entry.name).slice(join(ROOT, "src").length);
			assert.ok(existsSync(join(installed, "dist", place)), place);
		}
	});

	test("npx --no -- latchkey --version prints the version, as does the launcher", async () => {
		const { stdout } = await run("npx", ["--no", "--", "latchkey", "--version"], {
			cwd: home,
			timeout: 60_000,
		});
		assert.equal(stdout, `${version}\n`);
		const launched = await run(join(installed, "bin/latchkey"), ["--version"], {
			env: { PATH: "/usr/bin:/bin" },
		});
		assert.equal(launched.stdout, `${version}\n`);
	});

	test("started by an older Node, runs on the installed one and passes on signals and the exit status", {
		skip: olderNode === undefined && "no Node before 24 in the path",
	}, async () => {
		const entry = join(installed, "bin/latchkey.js");
		const { stdout } = await run(olderNode ?? "", [entry, "--version"], { env: {} });
		assert.equal(stdout, `${version}\n`);
		await assert.rejects(run(olderNode ?? "", [entry, "--nonsense"], { env: {} }), ({ code }) => code > 0);
		const env = await ownSettings(join(home, "data-of-older"));
		const program = await startProgram({ env, cwd: home, entry, node: olderNode ?? "" });
		try {
			assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
			program.kill("SIGTERM");
			assert.equal((await program.exited).code, 0);
			assert.match(program.stderr(), /"msg":"stopped"/);
		} finally {
			await program.end();
		}
	});

	test("has no scripts that need the checkout", () => {
		const { scripts, devDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
		assert.deepEqual([Object.keys(scripts), devDependencies], [["start"], undefined]);
	});

	test("started by a Node that is newer than 24 and older than its own, runs on its own", async () => {
		using place = temporaryFolder();
		const preload = join(place.path, "node-24.mjs");
		writeFileSync(
			preload,
			`Object.defineProperty(process.versions, "node", { value: "24.3.0" }); console.log("24");`,
		);
		const entry = join(installed, "bin/latchkey.js");
		const { stdout } = await run(process.execPath, ["--import", preload, entry, "--version"], { env: {} });
		assert.equal(stdout, `24\n${version}\n`);
		const parameters = ["--import", preload, entry, "api", "GET", "/nonsense"];
		await assert.rejects(run(process.execPath, parameters, { env: {} }), ({ code }) => code > 0);
	});

	test("runs as a user who cannot write its tree, also after another package was installed over it", {
		skip: process.getuid?.() !== 0 && "only root can start a service as another user",
	}, async () => {
		const owner = { uid: 65_534, gid: 65_534 };
		const env = await ownSettings(join(home, "data-of-user"));
		const dataDir = env.LATCHKEY_DATA_DIR ?? "";
		mkdirSync(dataDir, { recursive: true, mode: 0o700 });
		chownSync(dataDir, owner.uid, owner.gid);
		chmodSync(folder, 0o711);
		const entry = join(installed, "bin/latchkey.js");
		// That of the checkout may be in a folder that only root can enter.
		const node = join(home, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
		for (const time of ["installed", "installed over it"]) {
			const before = snapshot(installed);
			const program = await startProgram({ env, cwd: home, entry, node, owner });
			try {
				assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200, time);
				program.kill("SIGTERM");
				assert.equal((await program.exited).code, 0);
			} finally {
				await program.end();
			}
			assert.deepEqual(snapshot(installed), before);
			if (time === "installed") installPackage(tarball, home);
		}
	});

	test("shows the demo", async () => {
		const program = spawnProgram(["demo", "--json"], {
			cwd: home,
			entry: join(installed, "bin/latchkey.js"),
		});
		try {
			await program.printed(/^\{"ready":true/m, 300_000);
			program.kill("SIGINT");
			assert.equal((await program.exited).code, 0);
		} finally {
			await program.end();
		}
	});

	test("serves: becomes ready, responds, and shows its pages", async () => {
		const env = await ownSettings(join(home, "data"));
		const program = await startProgram({ env, cwd: home, entry: join(installed, "bin/latchkey.js") });
		try {
			const health = await fetch(`${program.httpUrl}/health`);
			assert.equal(health.status, 200);
			const { data } = (await health.json()) as { data: { version: string } };
			assert.equal(data.version, version);
			assert.equal((await fetch(`${program.httpUrl}/claim`)).status, 200);
			assert.equal((await fetch(`${program.httpUrl}/console`)).status, 200);
			assert.equal((await fetch(`${program.httpUrl}/docs/signing`)).status, 200);
			assert.equal((await fetch(`${program.httpUrl}/openapi.json`)).status, 200);
			program.kill("SIGTERM");
			assert.equal((await program.exited).code, 0);
		} finally {
			await program.end();
		}
	});

	test("is refused for a release if it does not start", async () => {
		await proveInstalled(home, { name, version });
		rmSync(join(installed, "dist/app/service.js"));
		await assert.rejects(proveInstalled(home, { name, version }), /ended .* before it printed/s);
	});
});
