// `npm test`: runs every test file on Node's own runner, those about the database on both engines, and ends with one line that counts.

import { glob } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { findPostgres } from "./harness/test-engine.ts";

const ALL = ["src/**/*.test.ts", "test/**/*.test.ts"];
/** What runs a second time on PostgreSQL: the stores, the endpoints, and what must hold between requests and restarts. */
const BOTH_ENGINES = [
	"src/adapters/sql/{*-store,whole-database}.test.ts",
	"src/jobs/*.test.ts",
	"test/sealed-columns.test.ts",
	"test/endpoints/**/*.test.ts",
	"test/cli/users.test.ts",
	"test/wire/{mail-limit,no-secrets,sessions,signed-order,signed-replay}.test.ts",
	"test/faults/{rekey,replay-race,signing-key-rotation}.test.ts",
];
const patterns = process.argv.slice(2);
const counts = { passed: 0, failed: 0, skipped: 0 };

process.env.TEST_DATABASE ??= "sqlite";
await runFiles(patterns.length > 0 ? patterns : ALL, process.env.TEST_DATABASE);
if (patterns.length === 0 && process.env.TEST_DATABASE === "sqlite") await runOnPostgres();
console.log(
	`${counts.passed} passed, ${counts.failed} failed${counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`}`,
);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;

async function runOnPostgres(): Promise<void> {
	const missing = await findPostgres();
	if (missing === undefined) return runFiles(BOTH_ENGINES, "postgres");
	console.log(
		`PostgreSQL: not tested, no server answers (${missing}); PGHOST, PGPORT, PGUSER and PGPASSWORD name one`,
	);
	if (process.env.CI === undefined) counts.skipped++;
	else counts.failed++;
}

async function runFiles(globs: readonly string[], engine: string): Promise<void> {
	const files: string[] = [];
	for await (const file of glob([...globs])) files.push(file);
	const stream = run({
		files: files.sort(),
		concurrency: Math.max(1, availableParallelism()),
		timeout: 300_000,
		env: { ...process.env, TEST_DATABASE: engine },
	});
	stream.on("test:pass", (data) => count(data, true));
	stream.on("test:fail", (data) => count(data, false));
	stream.compose(new spec()).pipe(process.stdout, { end: false });
	await new Promise((resolve) => stream.once("end", resolve));
	// The reporter is a stream of its own: its summary follows.
	await new Promise((resolve) => setImmediate(resolve));
}

interface Outcome {
	readonly details: { readonly type?: string | undefined };
	readonly skip?: string | boolean | undefined;
}

function count({ details, skip }: Outcome, ok: boolean): void {
	const isSkipped = skip !== undefined && skip !== false;
	// A skipped suite runs none of its tests: it counts as one.
	if (details.type === "suite" && !isSkipped) return;
	if (isSkipped) counts.skipped++;
	else if (ok) counts.passed++;
	else counts.failed++;
}
