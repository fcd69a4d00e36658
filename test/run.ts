// `npm test` and its longer forms: runs test files with Node's own runner and prints a summary line last.
//
//   node test/run.ts                    what `npm test` runs
//   node test/run.ts --all              every file, and on PostgreSQL those that depend on it
//   node test/run.ts --rest             --all without the files of `npm test`
//   node test/run.ts --long             --all with every repetition
//   node test/run.ts … --changed [REV]  only the files that changes since REV (default: HEAD) affect
//   node test/run.ts FILE-OR-GLOB …     these files, on the engine that TEST_DATABASE names

import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { parseArgs } from "node:util";
import { buildPages } from "../scripts/build-pages.ts";
import { isOutputStale } from "../src/pages/page-sources.ts";
import { makeSharedCertificate } from "./harness/certificates/shared-certificate.ts";
import { OWN_POSTGRES_SKIPPED, startOwnPostgres } from "./harness/databases/own-postgres.ts";
import { findPostgres } from "./harness/databases/test-engine.ts";
import { bundleFiles } from "./runner/bundle.ts";
import { changedFiles, reachedBy, readImports } from "./runner/changed.ts";
import { makeRunFolder } from "./runner/run-folder.ts";
import { DEPTH_OF_SCOPE, filesOf, type Pass, passesOf, type Scope } from "./runner/selection.ts";
import { Tally } from "./runner/tally.ts";

/** Stops a hanging process. With every repetition, a file can take almost this long. */
const PROCESS_TIMEOUT_MS: Readonly<Record<Scope, number>> = {
	quick: 600_000,
	all: 1_200_000,
	rest: 1_200_000,
	long: 3_600_000,
};

const { scope, passes, isWhole } = select(process.argv.slice(2));
const tally = new Tally();
process.env.TEST_DEPTH ??= DEPTH_OF_SCOPE[scope];
// Node caches compiled code for the next run, so loading the service takes a third of the time.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");
using folder = makeRunFolder();
process.env.TMPDIR = folder.path;
// Read by the last test of the embedded database: what all others observed.
if (isWhole) process.env.TEST_NOTES_FOLDER = mkdtempSync(join(folder.path, "notes-"));
await makeSharedCertificate(folder.path);
// Build them first: otherwise each parallel test would find stale pages.
if (isOutputStale()) await buildPages({ isDevelopment: false });
await using server = await startServer();
if (server !== undefined) nameServer(server.url);

for (const pass of passes) if (await canRun(pass)) await runPass(pass);
for (const line of tally.lines()) console.log(line);
process.exitCode = tally.ok ? 0 : 1;

/** A run is whole if it includes every test of its scope. */
function select(args: readonly string[]): {
	readonly scope: Scope;
	readonly passes: readonly Pass[];
	readonly isWhole?: true;
} {
	const { values, positionals } = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {
			all: { type: "boolean" },
			rest: { type: "boolean" },
			long: { type: "boolean" },
			changed: { type: "boolean" },
		},
	});
	const scope = (["all", "rest", "long"] as const).find((name) => values[name] === true) ?? "quick";
	if (values.changed === true) {
		const isReached = reachedBy(changedFiles(positionals[0] ?? "HEAD"), readImports());
		return {
			scope,
			passes: passesOf(scope).map((pass) => ({ ...pass, files: pass.files.filter(isReached) })),
		};
	}
	if (positionals.length === 0) return { scope, passes: passesOf(scope), isWhole: true };
	const engine = process.env.TEST_DATABASE === "postgres" ? "postgres" : "sqlite";
	return { scope: "all", passes: [{ engine, files: filesOf(positionals) }] };
}

/**
 * Starts a PostgreSQL server for the run, unless one is configured or none is installed. It does not wait for the disk,
 * because no test kills it.
 */
async function startServer(): Promise<(AsyncDisposable & { readonly url: string }) | undefined> {
	const { PGHOST, PGPORT } = process.env;
	if (PGHOST !== undefined || PGPORT !== undefined || OWN_POSTGRES_SKIPPED !== false) return undefined;
	const settings = ["fsync=off", "full_page_writes=off", "max_connections=200", "max_wal_size=256MB"];
	const { url, remove } = await startOwnPostgres(settings);
	return { url, [Symbol.asyncDispose]: remove };
}

function nameServer(url: string): void {
	const { hostname, port, username } = new URL(url);
	Object.assign(process.env, { PGHOST: hostname, PGPORT: port, PGUSER: username });
}

/** Without PostgreSQL, its passes count as skipped, or as failed if `CI` is set. */
async function canRun({ engine, files }: Pass): Promise<boolean> {
	if (files.length === 0) return false;
	if (engine === "sqlite") return true;
	const missing = await findPostgres();
	if (missing === undefined) return true;
	console.log(
		`PostgreSQL: not tested, no server responds (${missing}); PGHOST, PGPORT, PGUSER and PGPASSWORD name one`,
	);
	if (process.env.CI === undefined) tally.skip("no PostgreSQL responds");
	else tally.fail("no PostgreSQL responds");
	return false;
}

async function runPass({ engine, files, suites }: Pass): Promise<void> {
	const stream = run({
		files: bundleFiles(files, folder.path),
		// More than there are processors, because a process spends nearly half of its time waiting.
		concurrency: availableParallelism() + 2,
		timeout: PROCESS_TIMEOUT_MS[scope],
		env: {
			...process.env,
			TEST_DATABASE: engine,
			TEST_CERTIFICATE_FOLDER: folder.path,
		},
		...(suites !== undefined && { testNamePatterns: [suites] }),
	});
	stream.on("test:pass", (data) => tally.count(data, true));
	stream.on("test:fail", (data) => tally.count(data, false));
	stream.on("test:complete", ({ name, nesting, details }) => {
		// A file is a suite, in a process of its own and in a shared one.
		if (nesting === 0 && files.includes(name)) tally.addTime(name, details.duration_ms);
	});
	stream.compose(new spec()).pipe(process.stdout, { end: false });
	await new Promise((resolve) => stream.once("end", resolve));
	// The reporter writes to a separate stream; its summary follows.
	await new Promise((resolve) => setImmediate(resolve));
}
