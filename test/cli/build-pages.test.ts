// The pages of a checkout: `serve` builds missing pages, and starts without them if there is no bundler.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { ownSettings, spawnProgram, whenReady } from "../harness/processes/program.ts";
import { lastingFolder } from "../harness/runs/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const CHECKOUT = ["src", "bin", "pages", "packages", "deploy/gate", "scripts", "docs", "package.json"];
/** The bundler takes 4 s on two idle processors, and five times as long while other test files run. */
const BUILD_PATIENCE_MS = 60_000;

describe("a checkout without built pages", () => {
	const folder = lastingFolder();
	before(() => {
		for (const name of CHECKOUT) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
	});
	const linkPackages = (names: readonly string[]): void => {
		const packages = join(folder, "node_modules");
		mkdirSync(packages, { recursive: true });
		for (const name of names)
			if (!existsSync(join(packages, name)))
				symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
	};
	const start = async () => {
		const env = await ownSettings(join(folder, "data"));
		const program = spawnProgram(["serve"], {
			env,
			cwd: folder,
			entry: join(folder, "bin/latchkey.js"),
		});
		return whenReady(program, BUILD_PATIENCE_MS);
	};

	test("serves the API without a bundler, and says how to build the pages", async () => {
		linkPackages(readdirSync(join(ROOT, "node_modules")).filter((name) => !name.endsWith("esbuild")));
		const program = await start();
		try {
			assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
			assert.equal((await fetch(`${program.httpUrl}/console`)).status, 404);
			const home = await fetch(program.httpUrl, { headers: { accept: "text/html" }, redirect: "manual" });
			assert.deepEqual([home.status, home.headers.get("location")], [302, "/docs/api"]);
			assert.match(program.stderr(), /the pages are not built.*npm ci/);
		} finally {
			await program.end();
		}
	});

	test("builds them before it serves, and again only after a change", async () => {
		linkPackages(readdirSync(join(ROOT, "node_modules")));
		const first = await start();
		try {
			assert.equal((await fetch(`${first.httpUrl}/console`)).status, 200);
		} finally {
			await first.end();
		}
		const names = (): string[] => readdirSync(join(folder, "build/pages")).sort();
		const built = names();
		const second = await start();
		await second.end();
		assert.deepEqual(names(), built);
		writeFileSync(join(folder, "pages/home/home-page.css"), ".home { color: red }\n");
		const third = await start();
		await third.end();
		assert.notDeepEqual(names(), built);
	});
});
