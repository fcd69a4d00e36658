// A suite on both database engines.

import { spawnSync } from "node:child_process";
import { describe } from "node:test";
import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { type TestDatabase, testDatabase } from "./database.ts";

const { PGHOST = "127.0.0.1", PGPORT = "5432", CI } = process.env;
/** Without `await`, which would move the suites of other files of the process into this one. With `CI` set, they fail. */
const SKIPPED =
	CI === undefined &&
	spawnSync("pg_isready", ["-h", PGHOST, "-p", PGPORT]).status !== 0 &&
	"no PostgreSQL server responds";

/** @param suite gets a database of the engine, as `testDatabase` opens it */
export function onEachEngine(
	name: string,
	suite: (database: TestDatabase, engine: Engine["name"]) => void,
): void {
	describe(`${name}, on SQLite`, () => suite(testDatabase("sqlite"), "sqlite"));
	describe(`${name}, on PostgreSQL`, { skip: SKIPPED }, () => suite(testDatabase("postgres"), "postgres"));
}
