// The embedded database as a whole: read in one snapshot, filled row by row.

import { DatabaseSync } from "node:sqlite";
import type { Row } from "../../domain/backup.ts";
import {
	type ColumnRow,
	type ParentRow,
	selectAll,
	tablesOf,
	type WholeDatabase,
} from "../sql/whole-database.ts";
import { Connection } from "./sqlite-connection.ts";
import type { Faults } from "./sqlite-fault.ts";
import { dropNameIndex, NOT_OF_NAME_INDEX } from "./sqlite-names.ts";

const BATCH_ROWS = 1_000;
const VIEW_PATIENCE_MS = 5_000;
const TABLES = `(SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND ${NOT_OF_NAME_INDEX}) t`;
const COLUMNS = `SELECT t.name AS "table", c.name, c.pk AS place FROM ${TABLES}
	JOIN pragma_table_info(t.name) c ORDER BY t.name, c.cid`;
const PARENTS = `SELECT DISTINCT t.name AS "table", f."table" AS parent FROM ${TABLES}
	JOIN pragma_foreign_key_list(t.name) f`;

export function sqliteWhole(file: string, writer: Connection, faults: Faults): WholeDatabase<Connection> {
	return {
		async view(work) {
			const database = new DatabaseSync(file, { readOnly: true, timeout: VIEW_PATIENCE_MS });
			try {
				// The first read fixes the snapshot.
				database.exec("BEGIN; SELECT count(*) FROM sqlite_master;");
				return await work(new Connection(database, faults));
			} catch (error) {
				throw faults.translate(error);
			} finally {
				database.close();
			}
		},
		async tables(queries) {
			return tablesOf(await queries.all<ColumnRow>(COLUMNS), await queries.all<ParentRow>(PARENTS));
		},
		async *rows(queries, table) {
			const rows = queries.iterateNow(selectAll(table));
			for (let batch = take(rows); batch.length > 0; batch = take(rows)) yield batch;
		},
		async insert(queries, { name, columns }, rows) {
			const places = columns.map((_, index) => `$${index + 1}`).join(", ");
			const sql = `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`;
			for (const row of rows) await queries.run(sql, ...row);
		},
		async copying(queries, work) {
			// Without its triggers, the index would miss the copied rows. The next start creates it again.
			await dropNameIndex(queries);
			const triggers = await queries.all<{ name: string; sql: string }>(
				"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
			);
			for (const { name } of triggers) writer.exec(`DROP TRIGGER ${name}`);
			const value = await work();
			for (const { sql } of triggers) writer.exec(sql);
			return value;
		},
		run: (queries, sql) => queries.run(sql),
		async drop(_queries, shapes) {
			// Children first.
			for (const { name } of shapes.toReversed()) writer.exec(`DROP TABLE ${name}`);
		},
		// The lock on the data directory excludes them.
		others: () => Promise.resolve([]),
	};
}

function take(rows: Iterator<Row>): Row[] {
	const batch: Row[] = [];
	while (batch.length < BATCH_ROWS) {
		const { value, done } = rows.next();
		if (done === true) break;
		batch.push(value);
	}
	return batch;
}
