// Which test files each command runs, and on which database engine.

import { globSync } from "node:fs";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import type { Depth } from "../harness/runs/depth.ts";

/** `rest`: `all` without the files of `quick`, for a run that follows `npm test`. */
export type Scope = "quick" | "all" | "rest" | "long";

/** Files to run on one engine. */
export interface Pass {
	readonly engine: Engine["name"];
	/** Relative to the working directory, sorted. */
	readonly files: readonly string[];
	/** Run only the suites with a matching name, such as `409`; undefined: run every suite. */
	readonly suites?: RegExp;
}

/** After the others, whose responses it compares with the declared ones. */
const AFTER_ALL = "test/docs/statuses.test.ts";
const EVERYTHING = ["{packages,src,test}/**/*.test.ts"];

/** `npm test`: the product on the embedded database, one crash, and one run of two nodes where PostgreSQL is available. */
const QUICK = [
	"{packages,src}/**/*.test.ts",
	"test/*.test.ts",
	"test/{access,docs,endpoints,journeys,mail,matrix,openid,plans,providers,source,wire}/**/*.test.ts",
	// Commands in the process of the test; `all` adds those that test processes and packages.
	"test/cli/{admin,audit,backup,api,command,completion,doctor,health,import-formats,installation}.test.ts",
	"test/cli/{keys,mail,migrate,output,rekey,restore-check,restore-refused,sign,users}.test.ts",
	"test/faults/kill-nine.test.ts",
	"test/postgres/logouts-on-two-nodes.test.ts",
];

/** Also run on PostgreSQL: outcomes that the database decides. Tests of stores run on both in every pass (`onEachEngine`). */
const ON_POSTGRES = [
	"test/{access/configuration,access/versions,cli/config,configuration-file}.test.ts",
	"test/cli/users.test.ts",
	"test/faults/{configuration-killed,jobs-killed,openid-killed,rekey,replay-race,signing-key-rotation}.test.ts",
	"test/journeys/*.test.ts",
	"test/openid/*.test.ts",
	"test/plans/plans.test.ts",
	"test/scale/*.test.ts",
	"test/personal-data.test.ts",
	"test/request-digests.test.ts",
	"test/sealed-columns.test.ts",
	"test/wire/{audit-erasure,mail-limit,no-secrets,partner-keys,sessions,signed-order,signed-replay}.test.ts",
];

/** Of the endpoints, only successes and conflicts: earlier refusals never reach the database. */
const ENDPOINTS = ["test/endpoints/**/*.test.ts"];
const DECIDED_BY_DATABASE = /^(?:2\d\d|3\d\d|409)$/;

/** CI has 25 minutes for `quick` and `rest`, so it repeats races and crashes as rarely as `quick`. */
export const DEPTH_OF_SCOPE: Readonly<Record<Scope, Depth>> = {
	quick: "quick",
	all: "all",
	rest: "quick",
	long: "long",
};

/** The passes of a scope in their order; files outside the scope are in none. */
export function passesOf(scope: Scope): readonly Pass[] {
	const first = filesOf(scope === "quick" ? QUICK : EVERYTHING).filter((file) => file !== AFTER_ALL);
	const last: Pass = { engine: "sqlite", files: [AFTER_ALL] };
	if (scope === "quick") return [{ engine: "sqlite", files: first }, last];
	const quick = new Set(scope === "rest" ? filesOf(QUICK) : []);
	return [
		{ engine: "sqlite", files: first.filter((file) => !quick.has(file)) },
		...(scope === "rest" ? [] : [last]),
		{ engine: "postgres", files: filesOf(ON_POSTGRES) },
		{ engine: "postgres", files: filesOf(ENDPOINTS), suites: DECIDED_BY_DATABASE },
	];
}

/** Sorted, with forward slashes. */
export function filesOf(patterns: readonly string[]): string[] {
	return globSync(patterns, { exclude: ["**/node_modules/**"] })
		.map((file) => file.replaceAll("\\", "/"))
		.sort();
}
