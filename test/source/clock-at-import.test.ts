// The clock is a parameter: no module of the service reads it while it is imported.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const ENTRIES = ["app/service.ts", "app/in-process.ts", "app/described-routes.ts", "ops/doctor/examine.ts"];

/** Runs first in a new process, and prints who reads the clock during the imports. */
const WATCH = `
const now = Date.now;
const readers = [];
Date.now = () => {
	const [, , caller = ""] = new Error().stack.split("\\n");
	if (/\\/src\\/[^:]*\\.ts:/.test(caller)) readers.push(caller.trim());
	return now();
};
for (const entry of process.argv.slice(1)) await import(entry);
console.log(JSON.stringify(readers));
process.exit(0);
`;

test("no module reads the clock while it is imported", () => {
	const entries = ENTRIES.map((entry) => new URL(`../../src/${entry}`, import.meta.url).href);
	const args = ["--input-type=module", "--eval", WATCH, ...entries];
	const readers = execFileSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
	assert.deepEqual(JSON.parse(readers), []);
});
