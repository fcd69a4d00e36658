import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { temporaryFolder } from "../harness/runs/folder.ts";

const RUN = join(import.meta.dirname, "../run.ts");

/** Runs the files as a separate checkout. @returns the exit status and the output */
async function runFiles(files: Readonly<Record<string, string>>) {
	using folder = temporaryFolder();
	for (const [file, code] of Object.entries(files)) {
		const path = join(folder.path, file);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, `import { after, before, describe, it, test } from "node:test";\n${code}`);
	}
	// If a server is named, the run starts none.
	const { NODE_TEST_CONTEXT: _, PGHOST = "127.0.0.1", ...env } = process.env;
	const child = spawn(process.execPath, [RUN, "**/*.test.mjs"], {
		cwd: folder.path,
		env: { ...env, PGHOST, TEST_DATABASE: "sqlite" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
	return { code, printed, lines: printed.trimEnd().split("\n") };
}

const PASSES = 'test("passes", () => {});';

describe("npm test", () => {
	it("prints a summary line last", async () => {
		const { code, lines } = await runFiles({ "a.test.mjs": PASSES, "src/a/b.test.mjs": PASSES });
		assert.deepEqual([code, lines.at(-1)], [0, "2 passed, 0 failed"]);
	});

	it("lists the reasons of skips in the line before", async () => {
		const { code, lines } = await runFiles({
			"a.test.mjs": `${PASSES}
				test("b", { skip: "no nginx on this machine" }, () => {});
				describe("c", { skip: "no pgbouncer, no nginx on this machine" }, () => { it("d", () => {}); it("e", () => {}); });
				test("f", (t) => t.skip("needs root"));`,
			"src/a/g.test.mjs": 'test("g", { skip: "no nginx on this machine" }, () => {});',
		});
		assert.equal(code, 0);
		assert.deepEqual(lines.slice(-2), [
			"4 skipped: nginx 2, needs root 1, pgbouncer 1",
			"1 passed, 0 failed, 4 skipped",
		]);
	});

	const BROKEN: readonly (readonly [string, string, string])[] = [
		["a test", 'describe("d", () => { it("x", () => { throw new Error("no"); }); });', "1 passed, 1 failed"],
		["code outside of tests", 'throw new Error("no");', "1 passed, 1 failed"],
		["a missing import", 'import "./nowhere.mjs";', "1 passed, 1 failed"],
		["the body of a suite", 'describe("d", () => { throw new Error("no"); });', "1 passed, 1 failed"],
		["a hook after the tests", 'after(() => { throw new Error("no"); });', "1 passed, 1 failed"],
		["the end of the process", "process.exit(0);", "failed"],
	];
	for (const [what, broken, line] of BROKEN) {
		it(`fails for ${what} in a file that shares its process`, async () => {
			const { code, printed, lines } = await runFiles({
				"src/a/a.test.mjs": PASSES,
				"src/a/b.test.mjs": broken,
			});
			assert.equal(code, 1, printed);
			assert.ok(lines.at(-1)?.endsWith(line), printed);
		});
	}

	it("names each failure, its line, and its reason at the end", async () => {
		const { lines } = await runFiles({
			"src/a/a.test.mjs": 'describe("d", () => { it("x", () => { throw new Error("no"); }); });',
			"b.test.mjs": `${PASSES}\ntest("y", () => { throw new Error("no"); });`,
		});
		assert.deepEqual(lines.slice(-3).toSorted(), [
			"1 passed, 2 failed",
			"failed: x (src/a/a.test.mjs:2): no",
			"failed: y (b.test.mjs:3): no",
		]);
	});

	it("keeps the hooks of a file to its own tests", async () => {
		const { lines } = await runFiles({
			"src/a/a.test.mjs":
				'before(() => { globalThis.count = (globalThis.count ?? 0) + 1; }); test("one", () => {});',
			"src/a/b.test.mjs": `import assert from "node:assert/strict";
				after(() => assert.equal(globalThis.count, 1));
				test("two", () => assert.equal(globalThis.count, 1));
				test("three", () => assert.equal(globalThis.count, 1));`,
		});
		assert.equal(lines.at(-1), "3 passed, 0 failed");
	});

	it("does not repeat a file that failed", async () => {
		const { code, printed, lines } = await runFiles({
			"test/browser/a.test.mjs": `import { existsSync, writeFileSync } from "node:fs";
				test("first", () => {});
				test("second", () => {
					const file = import.meta.filename + ".ran";
					if (existsSync(file)) return;
					writeFileSync(file, "");
					throw new Error("late");
				});`,
		});
		assert.deepEqual([code, lines.at(-1)], [1, "1 passed, 1 failed"]);
		assert.match(printed, /Error: late/);
	});

	it("fails when nothing was run", async () => {
		const { code, lines } = await runFiles({});
		assert.deepEqual([code, lines.at(-1)], [1, "0 passed, 0 failed"]);
	});
});
