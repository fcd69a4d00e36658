// The clock is a parameter: no module of the service reads it while it is imported.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const ENTRIES = [
	"app/service.ts",
	"app/in-process.ts",
	"app/described-routes.ts",
	"ops/doctor/examine.ts",
	"cli/command-line.ts",
	"cli/serve.ts",
	"cli/import.ts",
];

/** Runs first in a new process, and prints who reads the clock during the imports. */
const WATCH = `
const readers = [];
const note = () => {
	const caller = new Error().stack.split("\\n").find((line, at) => at > 1 && !line.includes("[eval"));
	if (/\\/src\\/[^:]*\\.ts:/.test(caller ?? "")) readers.push(caller.trim());
};
const noting = (read) => (...values) => {
	note();
	return read(...values);
};
globalThis.Date = new Proxy(Date, {
	construct(date, values) {
		if (values.length === 0) note();
		return Reflect.construct(date, values);
	},
});
Date.now = noting(Date.now);
performance.now = noting(performance.now.bind(performance));
for (const entry of process.argv.slice(1)) await import(entry);
console.log(JSON.stringify(readers));
process.exit(0);
`;

function readersOf(entries: readonly string[]): string[] {
	const args = ["--input-type=module", "--eval", WATCH, ...entries];
	return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 }));
}

test("no module reads the clock while it is imported", () => {
	const entries = ENTRIES.map((entry) => new URL(`../../src/${entry}`, import.meta.url).href);
	assert.deepEqual(readersOf(entries), []);
});

test("every way to read the clock is noticed", async () => {
	const folder = await mkdtemp(join(tmpdir(), "clock-"));
	await mkdir(join(folder, "src"));
	const file = join(folder, "src", "reader.ts");
	await writeFile(file, "Date.now(); new Date(); performance.now(); new Date(0);\n");
	try {
		assert.equal(readersOf([pathToFileURL(file).href]).length, 3);
	} finally {
		await rm(folder, { recursive: true });
	}
});
