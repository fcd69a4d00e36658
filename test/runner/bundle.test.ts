import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { bundleFiles } from "./bundle.ts";

test("the longest of the files that run alone starts first", () => {
	using folder = temporaryFolder();
	const files = Object.entries({ "a.ts": 10, "b.ts": 300, "c.ts": 20 }).map(([name, length]) => {
		const path = join(folder.path, name);
		writeFileSync(path, "x".repeat(length));
		return relative(process.cwd(), path);
	});
	const [a, b, c] = files;
	assert.deepEqual(bundleFiles(files, folder.path), [b, c, a]);
});
