// `npm run bench:peers`: compares reads of the signed-in user with the same request to other servers; see
// docs/benchmarks.md.

import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createPostgresDatabase } from "../test/harness/databases/test-engine.ts";
import { startNode, stopChildren } from "./children.ts";
import { alone, loader } from "./measure.ts";
import { populate } from "./people.ts";
import { findProcessors } from "./processors.ts";
import { describeMachine, shown } from "./report.ts";
import { type Compared, compare } from "./rounds.ts";
import { startService } from "./service.ts";

/** Each is a file in `peers/`, in the version of `peers/package-lock.json`; glewlwyd is the version in Debian. */
const PEERS = ["better-auth", "express-passport", "oidc-provider", "parse-server", "glewlwyd"];
const START_LIMIT_MS = 60_000;
const INSTALL_LIMIT_MS = 120_000;
/** Aborts a run that hangs. */
const LIMIT_MS = 600_000;

/** The message of a peer that is ready and has signed a user in. */
interface Serving {
	readonly port: number;
	/** The server's process, if it is separate. */
	readonly pid?: number;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
}

const { values: options } = parseArgs({
	options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "2.5" } },
});
const processors = findProcessors();
const folder = mkdtempSync(join(tmpdir(), "latchkey-peers-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
const limit = setTimeout(() => {
	console.error(`the benchmark failed: it took longer than ${LIMIT_MS / 1_000} s`);
	process.exit(1);
}, LIMIT_MS);
limit.unref();
progress("packages of the peers, from the registry");
cpSync(join(import.meta.dirname, "peers"), folder, { recursive: true });
execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
	cwd: folder,
	stdio: "ignore",
	timeout: INSTALL_LIMIT_MS,
});
const database = await createPostgresDatabase({ migrated: false });
let failed = false;
try {
	await run();
} catch (error) {
	failed = true;
	console.error(`the benchmark failed: ${(error as Error).message}`);
} finally {
	await stopChildren();
	await database.drop();
}
process.exit(failed ? 1 : 0);

async function run(): Promise<void> {
	const dataDir = join(folder, "service");
	mkdirSync(dataDir);
	const service = await startService(dataDir, processors.server);
	const { tokens } = await populate(service);
	const bench = {
		generator: startNode("bench/load-generator.ts", [], { processors: processors.load, responses: true }),
		seconds: Number(options.seconds),
	};
	const ours = loader(bench, { kind: "me", tokens }, service);
	const { processor, load, node } = describeMachine(processors);
	console.log(`${processor}, Node ${node}, load average at the start ${load.toFixed(1)}`);
	for (const name of PEERS) {
		progress(name);
		const peer = startPeer(name);
		const serving = await servingOf(peer);
		if (serving === undefined) {
			console.log(`${name}: could not be started`);
			continue;
		}
		const { port, path, headers, pid = peer.pid as number } = serving;
		const theirs = loader(bench, { kind: "read", path, headers }, { port, pid });
		const server = { kill: (signal: NodeJS.Signals) => process.kill(pid, signal) };
		const compared = await compare(
			Number(options.rounds),
			() => alone(ours, server),
			() => alone(theirs, service.child),
		);
		server.kill("SIGKILL");
		peer.kill("SIGKILL");
		console.log(row(name, compared));
	}
}

function startPeer(name: string): ChildProcess {
	const env = { NODE_ENV: "production", PEER_DATABASE_URL: database.url };
	const peer = startNode(join(folder, `${name}.js`), [], {
		processors: processors.server,
		cwd: folder,
		env,
		responses: true,
	});
	peer.stdout?.resume();
	return peer;
}

async function servingOf(peer: ChildProcess): Promise<Serving | undefined> {
	const signal = AbortSignal.timeout(START_LIMIT_MS);
	const serving = once(peer, "message", { signal }).then(([message]) => message as Serving);
	const ended = once(peer, "exit", { signal }).then(() => undefined);
	return await Promise.race([serving, ended]).catch(() => undefined);
}

function row(name: string, { measured, comparison, ratios, processorRatios }: Compared): string {
	return (
		`${name}: ${comparison.perSecond.toFixed(0)} requests/s, ${comparison.processorMicros?.toFixed(0)} µs; ` +
		`Latchkey ${measured.perSecond.toFixed(0)}, ${measured.processorMicros?.toFixed(1)} µs: ` +
		`${shown(ratios, 1)} times the requests, ${shown(processorRatios, 1)} times by CPU time`
	);
}

function progress(what: string): void {
	console.error(`measuring: ${what}`);
}
