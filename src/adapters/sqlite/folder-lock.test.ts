import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { StartError } from "../../kernel/start-error.ts";
import { lockFolder } from "./folder-lock.ts";

const MODULE = new URL("./folder-lock.ts", import.meta.url).href;
const HOLDER = `
	const { lockFolder } = await import(${JSON.stringify(MODULE)});
	lockFolder(process.argv[1]);
	console.log("locked");
	setInterval(() => globalThis.gc?.(), 10);
`;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "latchkey-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Another process that holds the lock and continuously collects garbage. */
async function startHolder() {
	const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "-e", HOLDER, folder], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	await once(child.stdout, "data");
	return child;
}

function isInUse(error: unknown): boolean {
	assert.ok(error instanceof StartError);
	assert.equal(error.message, `data directory ${folder} is in use by another latchkey process`);
	return true;
}

describe("lockFolder", () => {
	it("adds a private file and refuses a second holder in this process", () => {
		const lock = lockFolder(folder);
		assert.equal(statSync(join(folder, "latchkey.lock")).mode & 0o777, 0o600);
		assert.throws(() => lockFolder(folder), isInUse);
		assert.throws(() => lockFolder(folder), isInUse, "a refused attempt must not break the lock");
		lock.release();
	});

	it("keeps its journal private, too, also one that another version left", () => {
		const journal = join(folder, "latchkey.lock-journal");
		const modes = (): number[] =>
			["latchkey.lock", "latchkey.lock-journal"]
				.map((name) => join(folder, name))
				.filter((file) => existsSync(file))
				.map((file) => statSync(file).mode & 0o777);
		const first = lockFolder(folder);
		assert.deepEqual([...new Set(modes())], [0o600]);
		first.release();
		writeFileSync(journal, "", { mode: 0o644 });
		const second = lockFolder(folder);
		assert.deepEqual([...new Set(modes())], [0o600]);
		second.release();
	});

	it("releases the directory once", () => {
		const first = lockFolder(folder);
		first.release();
		const second = lockFolder(folder);
		first.release();
		assert.throws(() => lockFolder(folder), isInUse, "an old release must not free a new lock");
		second.release();
		assert.ok(existsSync(join(folder, "latchkey.lock")));
	});

	it("excludes other processes, and ends with its owner at kill -9", async () => {
		const holder = await startHolder();
		try {
			assert.throws(() => lockFolder(folder), isInUse);
		} finally {
			holder.kill("SIGKILL");
			await once(holder, "exit");
		}
		lockFolder(folder).release();
	});

	it("refuses a directory that cannot be locked", () => {
		const file = join(folder, "latchkey.lock");
		mkdirSync(file);
		const line = /^data directory \S+ cannot be locked with its file latchkey\.lock: [^\n]+$/;
		assert.throws(() => lockFolder(folder), { name: "StartError", message: line });
		rmSync(file, { recursive: true });
		writeFileSync(file, "this is no database, it is a text of some length".repeat(40));
		assert.throws(() => lockFolder(folder), { name: "StartError", message: line });
		assert.throws(() => lockFolder(join(folder, "missing")), { name: "StartError", message: line });
	});
});
