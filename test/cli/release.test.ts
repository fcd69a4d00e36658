// `npm run release -- --dry-run` in a clean clone.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../harness/runs/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const RELEASE = "scripts/release.ts";
const run = promisify(execFile);

function skipped(): false | string {
	for (const [program, ...args] of [
		["git", "-C", ROOT, "rev-parse", "HEAD"],
		["helm", "version"],
	] as const)
		try {
			execFileSync(program, args, { stdio: "ignore" });
		} catch (error) {
			if (process.env.CI !== undefined) throw error;
			return `no ${program}`;
		}
	return false;
}

describe("npm run release -- --dry-run", { skip: skipped() }, () => {
	const folder = temporaryFolder();
	const clone = join(folder.path, "clone");
	const release = () => run(process.execPath, [RELEASE, "--dry-run"], { cwd: clone, timeout: 600_000 });
	before(async () => {
		await run("git", ["clone", "--quiet", ROOT, clone]);
		symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
	});
	after(() => folder[Symbol.dispose]());

	test("builds and starts everything, names what is still to do, and does not tag", async () => {
		const { version } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8"));
		appendFileSync(join(clone, "CHANGELOG.md"), "\n");
		const { stdout } = await release();
		assert.match(stdout, /^before the release: there are uncommitted changes$/m);
		assert.match(stdout, new RegExp(`^checked v${version}; release/ contains `, "m"));
		const sums = readFileSync(join(clone, "release/SHA256SUMS"), "utf8").trim().split("\n");
		assert.equal(sums.length, 4);
		for (const line of sums) {
			const [sum, file = ""] = line.split("  ");
			const content = readFileSync(join(clone, "release", file));
			assert.equal(createHash("sha256").update(content).digest("hex"), sum, file);
		}
		const { stdout: tags } = await run("git", ["tag", "--list", `v${version}`], { cwd: clone });
		const { stdout: published } = await run("git", ["tag", "--list", `v${version}`], { cwd: ROOT });
		assert.equal(tags, published);
	});

	test("fails if files contradict each other", async () => {
		const chart = join(clone, "deploy/helm/latchkey/Chart.yaml");
		const before = readFileSync(chart, "utf8");
		writeFileSync(chart, before.replace(/^version: .*$/m, "version: 9.9.9"));
		await assert.rejects(release(), /Chart\.yaml contains version 9\.9\.9/);
		writeFileSync(chart, before);
	});
});
