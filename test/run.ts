// `npm test`: runs every test file on Node's own runner, and ends with one line that counts.

import { glob } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const patterns = process.argv.slice(2);
const files: string[] = [];
for await (const file of glob(patterns.length > 0 ? patterns : ["src/**/*.test.ts", "test/**/*.test.ts"]))
	files.push(file);

let passed = 0;
let failed = 0;
let skipped = 0;
const stream = run({
	files: files.sort(),
	concurrency: Math.max(1, availableParallelism()),
	timeout: 300_000,
});
const count = (
	data: { details: { type?: string | undefined }; skip?: string | boolean | undefined },
	ok: boolean,
): void => {
	const isSkipped = data.skip !== undefined && data.skip !== false;
	// A skipped suite runs none of its tests: it counts as one.
	if (data.details.type === "suite" && !isSkipped) return;
	if (isSkipped) skipped++;
	else if (ok) passed++;
	else failed++;
};
stream.on("test:pass", (data) => count(data, true));
stream.on("test:fail", (data) => count(data, false));
stream.compose(new spec()).pipe(process.stdout);
stream.once("end", () => {
	process.on("exit", () => {
		console.log(`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
	});
	process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
});
