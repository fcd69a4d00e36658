// `npm test`: runs every test file on Node's own runner, those about the database on both engines, and ends with one line that counts.

import { glob } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { buildPages } from "../scripts/build-pages.ts";
import { isOutputStale } from "../src/pages/page-sources.ts";
import { OWN_POSTGRES_SKIPPED, startOwnPostgres } from "./harness/own-postgres.ts";
import { makeSharedCertificate } from "./harness/shared-certificate.ts";
import { findPostgres } from "./harness/test-engine.ts";
import { bundleFiles, isWaiting } from "./runner/bundle.ts";
import { makeRunFolder } from "./runner/run-folder.ts";
import { Tally } from "./runner/tally.ts";

const ALL = ["src/**/*.test.ts", "test/**/*.test.ts"];
/** What runs a second time on PostgreSQL: the stores, the endpoints, the pages, and what must hold between requests and restarts. */
const BOTH_ENGINES = [
	"src/adapters/sql/whole-database.test.ts",
	"src/adapters/stores/*-store.test.ts",
	"src/jobs/*.test.ts",
	"test/plans/plans.test.ts",
	"test/sealed-columns.test.ts",
	"test/endpoints/**/*.test.ts",
	"test/browser/*.test.ts",
	"test/cli/users.test.ts",
	"test/wire/{mail-limit,no-secrets,sessions,signed-order,signed-replay}.test.ts",
	"test/openid/*.test.ts",
	"test/protect-programs.test.ts",
	"test/parties/{apache,omniauth,resource-server}.test.ts",
	"test/faults/{openid-killed,rekey,replay-race,signing-key-rotation}.test.ts",
];
/** What fails in more files than these is no matter of a busy machine. */
const ALONE_MAX = 3;
const POSTGRES = "PostgreSQL";
const patterns = process.argv.slice(2);
const tally = new Tally();
// Node keeps what it compiled for the next run: loading the service takes a third of the time.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");
using folder = makeRunFolder();
process.env.TMPDIR = folder.path;
await makeSharedCertificate(folder.path);
// Before tests that run side by side would each find old pages.
if (isOutputStale()) await buildPages({ isDevelopment: false });
await using server = await startServer();
if (server !== undefined) nameServer(server.url);

process.env.TEST_DATABASE ??= "sqlite";
await runFiles(patterns.length > 0 ? patterns : ALL, process.env.TEST_DATABASE);
if (patterns.length === 0 && process.env.TEST_DATABASE === "sqlite") await runOnPostgres();
for (const line of tally.lines()) console.log(line);
process.exitCode = tally.ok ? 0 : 1;

/** A PostgreSQL of the run's own, unless one is named or none is installed. No test ends it: it need not wait for the disk. */
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

async function runOnPostgres(): Promise<void> {
	const missing = await findPostgres();
	if (missing === undefined) return runFiles(BOTH_ENGINES, "postgres");
	console.log(
		`PostgreSQL: not tested, no server answers (${missing}); PGHOST, PGPORT, PGUSER and PGPASSWORD name one`,
	);
	if (process.env.CI === undefined) tally.skip(POSTGRES, "no PostgreSQL answers");
	else tally.fail(POSTGRES);
}

async function runFiles(globs: readonly string[], engine: string): Promise<void> {
	const files: string[] = [];
	for await (const file of glob([...globs])) files.push(file);
	const before = new Set(tally.failedFiles);
	// One more than there are processors: some files wait for most of their time.
	await runProcesses(bundleFiles(files.sort(), folder.path), engine, availableParallelism() + 1);
	const again = tally.failedFiles.filter((name) => !before.has(name));
	if (again.length === 0 || again.length > ALONE_MAX) return;
	const waiting = files.filter((file) => isWaiting(file) && again.includes(nameOf(file, engine)));
	for (const file of waiting) {
		tally.startAgain(nameOf(file, engine));
		await runProcesses([file], engine, 1);
	}
}

/** @param concurrency how many processes run at a time. */
async function runProcesses(files: string[], engine: string, concurrency: number): Promise<void> {
	const stream = run({
		files,
		concurrency,
		timeout: 600_000,
		env: {
			...process.env,
			TEST_DATABASE: engine,
			TEST_CERTIFICATE_FOLDER: folder.path,
		},
	});
	stream.on("test:pass", (data) => tally.count(nameOf(data.file, engine), data, true));
	stream.on("test:fail", (data) => tally.count(nameOf(data.file, engine), data, false));
	stream.compose(new spec()).pipe(process.stdout, { end: false });
	await new Promise((resolve) => stream.once("end", resolve));
	// The reporter is a stream of its own: its summary follows.
	await new Promise((resolve) => setImmediate(resolve));
}

function nameOf(file: string | undefined, engine: string): string {
	return `${file === undefined ? "no file" : relative("", file)} (${engine})`;
}
