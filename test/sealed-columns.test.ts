// Compares the list of sealed columns with the schema on both engines: a missing column would become unreadable after a
// change of the master key.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { SEALED_COLUMNS } from "../src/adapters/sql/sealed-columns.ts";
import { testDatabase } from "./harness/databases/database.ts";
import { TEST_ENGINE } from "./harness/databases/test-engine.ts";

const CATALOGUE = {
	sqlite: `SELECT t.name AS "table", c.name AS "column", c.pk AS pk FROM sqlite_master t, pragma_table_info(t.name) c
		WHERE t.type = 'table'`,
	postgres: `SELECT c.table_name AS "table", c.column_name AS "column", coalesce(k.ordinal_position, 0)::integer AS pk
		FROM information_schema.columns c
		LEFT JOIN information_schema.table_constraints p ON p.constraint_type = 'PRIMARY KEY'
			AND p.table_schema = c.table_schema AND p.table_name = c.table_name
		LEFT JOIN information_schema.key_column_usage k ON k.constraint_name = p.constraint_name
			AND k.table_schema = c.table_schema AND k.table_name = c.table_name AND k.column_name = c.column_name
		WHERE c.table_schema = 'public'`,
};

describe("the list of sealed columns", () => {
	const database = testDatabase();
	let columns: { table: string; column: string; pk: number }[];
	before(async () => {
		columns = await database.engine.queries.all(CATALOGUE[TEST_ENGINE]);
	});

	it("names every *_sealed column of the schema, and no other", () => {
		const sealed = columns.filter(({ column }) => column.endsWith("_sealed"));
		assert.ok(sealed.length >= 6);
		assert.deepEqual(
			SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort(),
			sealed.map(({ table, column }) => `${table}.${column}`).sort(),
			"src/adapters/sql/sealed-columns.ts and the schema differ",
		);
	});

	it("identifies rows by a column that is the whole primary key of its table", () => {
		for (const { table, id } of SEALED_COLUMNS) {
			const keys = columns.filter((column) => column.table === table && column.pk > 0);
			assert.deepEqual(
				keys.map(({ column }) => column),
				[id],
				table,
			);
		}
	});
});
