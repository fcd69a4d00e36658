// How many rows a statement visits: measured on PostgreSQL, derived from the plan on SQLite.

import type { Engine } from "../../src/adapters/sql/engine.ts";
import type { CountVisits } from "./count-visits.ts";
import { visitsOnPostgres } from "./visits-postgres.ts";
import { visitsOnSqlite } from "./visits-sqlite.ts";

export const VISITS: Readonly<Record<Engine["name"], CountVisits>> = {
	postgres: visitsOnPostgres,
	sqlite: visitsOnSqlite,
};
