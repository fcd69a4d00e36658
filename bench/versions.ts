// `node bench/versions.ts CHECKOUT`: the processor time of this version relative to that of another checkout, in turn, on the
// embedded database or on the one of `--database URL`, which both use. `--part me` limits it to one kind of request.

import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startNode, stopChildren } from "./children.ts";
import { alone, loader } from "./measure.ts";
import { type Population, populate } from "./people.ts";
import { findProcessors } from "./processors.ts";
import { sendRefreshes } from "./refreshes.ts";
import { scenarioLines } from "./report.ts";
import { compare, type Round } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";

const { values: options, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		database: { type: "string" },
		part: { type: "string" },
		rounds: { type: "string", default: "9" },
		seconds: { type: "string", default: "1" },
	},
});
const [other] = positionals;
if (other === undefined) throw new Error("name a checkout of the other version");
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];
const processors = findProcessors();
const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const key = randomBytes(32).toString("base64");

interface Side {
	readonly service: RunningService;
	readonly rounds: Readonly<Record<string, () => Promise<Round>>>;
}

try {
	const theirs = await start("other", join(resolve(other), "bin/latchkey.js"));
	const ours = await start("own", "bin/latchkey.js", options.database === undefined ? undefined : theirs);
	for (const what of Object.keys(ours.rounds).filter((part) => (options.part ?? part) === part)) {
		const measure = ({ rounds }: Side, beside: Side) =>
			alone(rounds[what] as () => Promise<Round>, beside.service.child);
		const compared = await compare(
			rounds,
			() => measure(ours, theirs),
			() => measure(theirs, ours),
		);
		const titles = { name: what, title: what, comparedWith: other, goal: undefined };
		console.log(scenarioLines({ ...titles, ...compared }).join("\n"));
	}
} finally {
	await stopChildren();
}
process.exit(0);

/** @param shared a node whose database, and therefore whose people, it uses. */
async function start(name: string, entry: string, shared?: Side & { population: Population }) {
	const dataDir = join(folder, name);
	mkdirSync(dataDir);
	const service = await startService(
		dataDir,
		processors.server,
		{
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000",
			LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000",
			...(options.database === undefined
				? {}
				: { LATCHKEY_DATABASE_URL: options.database, LATCHKEY_MASTER_KEY: key }),
		},
		entry,
	);
	const population = shared?.population ?? (await populate(service));
	const { client: credentials, userId, tokens, people } = population;
	const generator = startNode("bench/load-generator.ts", [], {
		processors: processors.load,
		responses: true,
	});
	const bench = { generator, seconds };
	const refreshes = await sendRefreshes(service, people);
	return {
		service,
		population,
		rounds: {
			me: loader(bench, { kind: "me", tokens }, service),
			signed: loader(bench, { kind: "signed", credentials, userId }, service),
			refresh: () => refreshes(seconds),
			login: loader(bench, { kind: "login", people }, service),
		},
	};
}
