// A suite on both database engines.

import { spawnSync } from "node:child_process";
import { describe } from "node:test";
import type { Engine } from "../../../src/adapters/sql/engine.ts";

const { PGHOST = "127.0.0.1", PGPORT = "5432", CI } = process.env;
/** Without `await`, which would move the suites of other files of the process into this one. With `CI` set, they fail. */
const SKIPPED =
	CI === undefined &&
	spawnSync("pg_isready", ["-h", PGHOST, "-p", PGPORT]).status !== 0 &&
	"no PostgreSQL server responds";

/** @param suite opens its database with the engine that it gets */
export function onEachEngine(name: string, suite: (engine: Engine["name"]) => void): void {
	describe(`${name}, on SQLite`, () => suite("sqlite"));
	describe(`${name}, on PostgreSQL`, { skip: SKIPPED }, () => suite("postgres"));
}
