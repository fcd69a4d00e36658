import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { writeFileDurably } from "./durable-file.ts";

let base: string;
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "latchkey-file-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("writeFileDurably", () => {
	it("writes a private file and leaves no temporary one", () => {
		const path = join(base, "key");
		writeFileDurably(path, "secret\n");
		assert.equal(readFileSync(path, "utf8"), "secret\n");
		assert.equal(statSync(path).mode & 0o777, 0o600);
		assert.deepEqual(readdirSync(base), ["key"]);
	});

	it("replaces an open file with a private one, and the leftover of a crash", () => {
		const path = join(base, "key");
		writeFileSync(path, "old", { mode: 0o644 });
		writeFileSync(`${path}.tmp`, "half", { mode: 0o644 });
		writeFileDurably(path, "new");
		assert.equal(readFileSync(path, "utf8"), "new");
		assert.equal(statSync(path).mode & 0o777, 0o600);
		assert.deepEqual(readdirSync(base), ["key"]);
	});

	it("names the file that could not be written and leaves no temporary one", () => {
		const path = join(base, "key");
		mkdirSync(path);
		const message = /^\S+key cannot be written \(E[A-Z]+\)$/;
		assert.throws(() => writeFileDurably(path, "x"), { name: "StartError", message });
		assert.deepEqual(readdirSync(base), ["key"]);
		assert.throws(() => writeFileDurably(join(base, "missing", "key"), "x"), { name: "StartError", message });
	});
});
