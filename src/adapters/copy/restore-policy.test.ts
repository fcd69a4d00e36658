import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { testDatabase } from "../../../test/harness/databases/database.ts";
import { MIGRATIONS_TABLE, type Table } from "../../domain/backup.ts";
import { TABLES } from "../sql/tables/all-tables.ts";
import { RESTORE_POLICY, restoredNonceFloor } from "./restore-policy.ts";

describe("the descriptions of the tables", () => {
	const database = testDatabase();
	let schema: Table[];
	before(async () => {
		const { whole } = database.engine;
		schema = (await whole.view((view) => whole.tables(view))).filter(({ name }) => name !== MIGRATIONS_TABLE);
	});

	test("match the tables, columns, and primary keys of the schema exactly", () => {
		const sorted = <T extends { readonly name: string }>(tables: readonly T[]): T[] =>
			tables.toSorted((a, b) => (a.name < b.name ? -1 : 1));
		assert.deepEqual(
			sorted(
				TABLES.map(({ name, fields, key }) => ({
					name,
					columns: fields.map(({ column }) => column).sort(),
					key,
				})),
			),
			sorted(schema.map(({ name, columns, key }) => ({ name, columns: [...columns].sort(), key }))),
			"describe a new table in src/adapters/sql/tables; its restore policy says whether its content may be used again after a restore",
		);
	});

	test("void every digest that a restore keeps, or say why it grants no access", () => {
		const open: string[] = [];
		for (const { name, columns } of schema) {
			const { rows, repairs = [], harmless = {} } = RESTORE_POLICY[name] ?? { rows: "kept" };
			if (rows !== "kept") continue;
			const sql = repairs.map((repair) => repair.sql(0)).join(" ");
			for (const column of columns.filter((each) => /(?:^|_)digest$/.test(each)))
				if (!sql.includes(column) && !(column in harmless)) open.push(`${name}.${column}`);
		}
		assert.deepEqual(open, []);
	});

	test("have repairs that run on this schema", async () => {
		for (const { repairs = [] } of Object.values(RESTORE_POLICY))
			for (const { sql } of repairs) await database.engine.queries.run(sql(database.clock.now()));
	});
});

test("a restore refuses every timestamp that may have been accepted earlier", () => {
	assert.equal(restoredNonceFloor({ nowMs: 1_000_000_000_001, backupAtMs: 0 }, 300), 1_000_000_301);
	assert.equal(restoredNonceFloor({ nowMs: 0, backupAtMs: 1_000_000_000_000 }, 300), 1_000_000_300);
});
