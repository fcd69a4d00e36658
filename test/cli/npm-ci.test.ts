// `npm ci` on the Node that the system has for npm, which need not be the one that the service runs on.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../harness/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
/** npm puts `node_modules/.bin` first, where Node is the one of the packages. */
const PATH = (process.env.PATH ?? "")
	.split(delimiter)
	.filter((folder) => !folder.includes("node_modules"))
	.join(delimiter);
const run = promisify(execFile);

/** `false`, or why there is nothing to see: a Node as new as the packages want gets no warning of any of them. */
function skipped(): false | string {
	try {
		const version = execFileSync("node", ["--version"], { env: { PATH }, encoding: "utf8" }).trim();
		return Number(/^v(\d+)/.exec(version)?.[1]) < 22 ? false : `npm runs on Node ${version}`;
	} catch {
		return "no Node beside the packages'";
	}
}

test("npm ci warns of no package on Node 20", { skip: skipped() }, async () => {
	using folder = temporaryFolder();
	for (const file of ["package.json", "package-lock.json", ".npmrc"])
		cpSync(join(ROOT, file), join(folder.path, file));
	// The scripts of the checkout, which build the pages, are not in the folder.
	const { stdout, stderr } = await run("npm", ["ci", "--dry-run", "--offline", "--ignore-scripts"], {
		cwd: folder.path,
		env: { PATH, HOME: process.env.HOME },
		timeout: 60_000,
	});
	assert.match(stdout, /added \d+ packages/);
	assert.doesNotMatch(stderr, /EBADENGINE/);
});
