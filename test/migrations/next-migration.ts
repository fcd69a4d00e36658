// Appends a migration, so that tests of upgrades always have one to apply. Import it first: the
// service reads the number of migrations when it is loaded.

import { MIGRATIONS } from "../../src/adapters/migrations/migrations.ts";

/** Changes a table, then rows that must already be there. */
const sql = `
ALTER TABLE tenants ADD COLUMN motto TEXT NOT NULL DEFAULT '';
UPDATE tenants SET motto = 'motto of ' || name;
`;

/** `--import` of this file with the environment variable set: the migration waits before it commits. */
const WAITS = {
	sqlite: "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;",
	// The server notices a killed client only after the statement.
	postgres: "SELECT pg_sleep(3);",
};

const wait = Object.entries(WAITS).find(([engine]) => engine === process.env.TEST_MIGRATION_WAITS)?.[1] ?? "";

MIGRATIONS.push({ name: "next", sql: sql + wait });
