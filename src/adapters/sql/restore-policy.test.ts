import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../test/harness/database.ts";
import { MIGRATIONS_TABLE, type Table } from "../../features/backup/model.ts";
import { RESTORE_POLICY, restoredNonceFloor } from "./restore-policy.ts";

describe("the policy of a restore", () => {
	let database: TestDatabase;
	let tables: Table[];
	before(async () => {
		database = await openTestDatabase();
		const { whole } = database.engine;
		tables = (await whole.view((view) => whole.tables(view))).filter(({ name }) => name !== MIGRATIONS_TABLE);
	});
	after(() => database.close());

	test("says of every table what becomes of its rows, and of none that is not there", () => {
		assert.deepEqual(
			tables.map(({ name }) => name).filter((name) => !(name in RESTORE_POLICY)),
			[],
			"a new table wants a row in restore-policy.ts: may what it holds be used once more after a restore?",
		);
		assert.deepEqual(
			Object.keys(RESTORE_POLICY).filter((name) => !tables.some((table) => table.name === name)),
			[],
		);
	});

	test("makes every kept digest void, or says why it opens nothing", () => {
		const open: string[] = [];
		for (const { name, columns } of tables) {
			const { rows, mends = [], harmless = {} } = RESTORE_POLICY[name] ?? { rows: "kept" };
			if (rows === "emptied") continue;
			const sql = mends.map((mend) => mend.sql(0)).join(" ");
			for (const column of columns.filter((each) => /(?:^|_)digest$/.test(each)))
				if (!sql.includes(column) && !(column in harmless)) open.push(`${name}.${column}`);
		}
		assert.deepEqual(open, []);
	});

	test("has mends that run on this schema", async () => {
		for (const { mends = [] } of Object.values(RESTORE_POLICY))
			for (const { sql } of mends) await database.engine.queries.run(sql(database.clock.now()));
	});

	test("has a floor above every timestamp that can have been accepted before", () => {
		assert.equal(restoredNonceFloor({ nowMs: 1_000_000_000_001, backupAtMs: 0 }, 300), 1_000_000_301);
		assert.equal(restoredNonceFloor({ nowMs: 0, backupAtMs: 1_000_000_000_000 }, 300), 1_000_000_300);
	});
});
