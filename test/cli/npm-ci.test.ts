// The npm commands of the README and of docs/operations.md, on the system's own Node, which may differ from the one of
// the service.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../harness/runs/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
/** npm puts `node_modules/.bin`, with the Node of the packages, first in the path. */
const PATH = (process.env.PATH ?? "")
	.split(delimiter)
	.filter((folder) => !folder.includes("node_modules"))
	.join(delimiter);
const run = promisify(execFile);

/** `false`, or the reason to skip: a Node that satisfies every package causes no warning. */
function skipped(): false | string {
	try {
		const version = execFileSync("node", ["--version"], { env: { PATH }, encoding: "utf8" }).trim();
		return Number(/^v(\d+)/.exec(version)?.[1]) < 22 ? false : `npm runs on Node ${version}`;
	} catch {
		return "no Node other than that of the packages";
	}
}

/** Runs npm in a folder with the manifest and lock file of the checkout. */
async function npm(folder: string, ...args: string[]) {
	for (const file of ["package.json", "package-lock.json", ".npmrc"])
		cpSync(join(ROOT, file), join(folder, file));
	// The folder lacks the scripts of the checkout that build the pages.
	return run("npm", [...args, "--offline", "--ignore-scripts"], {
		cwd: folder,
		env: { PATH, HOME: process.env.HOME },
		timeout: 60_000,
	});
}

test("npm ci warns of no package on Node 20", { skip: skipped() }, async () => {
	using folder = temporaryFolder();
	const { stdout, stderr } = await npm(folder.path, "ci", "--dry-run");
	assert.match(stdout, /added \d+ packages/);
	assert.doesNotMatch(stderr, /EBADENGINE/);
});

test("npm prune --omit=dev does not change the lock file", async () => {
	using folder = temporaryFolder();
	await npm(folder.path, "prune", "--omit=dev", "--package-lock-only");
	const read = (at: string) => readFileSync(join(at, "package-lock.json"), "utf8");
	assert.equal(read(folder.path), read(ROOT));
});

test("package.json allows or refuses every install script, so that npm does not warn", () => {
	const { allowScripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
		packages: Record<string, { hasInstallScript?: boolean; os?: string[] }>;
	};
	const withScript = Object.keys(packages)
		.filter((path) => packages[path]?.hasInstallScript && (packages[path].os ?? ["linux"]).includes("linux"))
		.map((path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
	assert.deepEqual(Object.keys(allowScripts).sort(), [...new Set(withScript)].sort());
});
