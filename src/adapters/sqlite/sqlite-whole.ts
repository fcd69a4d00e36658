// The embedded database as a whole: read in one view, filled row by row.

import { DatabaseSync } from "node:sqlite";
import type { Row, Table, TableShape } from "../../domain/backup.ts";
import { parentsFirst } from "../sql/parents-first.ts";
import type { Queries } from "../sql/queries.ts";
import type { WholeDatabase } from "../sql/whole-database.ts";
import { Connection } from "./sqlite-connection.ts";
import type { Faults } from "./sqlite-fault.ts";
import { dropNameIndex, NOT_OF_NAME_INDEX } from "./sqlite-names.ts";

const BATCH_ROWS = 1_000;
const VIEW_PATIENCE_MS = 5_000;

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
		tables,
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
			// Without its triggers it would miss what is copied; the next start makes it again.
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
		// The lock on the data folder excludes them.
		others: () => Promise.resolve([]),
	};
}

async function tables(queries: Queries): Promise<Table[]> {
	const names = await queries.all<{ name: string }>(
		`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND ${NOT_OF_NAME_INDEX}`,
	);
	const found = names.map(async ({ name }) => {
		const columns = await queries.all<{ name: string; place: number }>(
			"SELECT name, pk AS place FROM pragma_table_info($1) ORDER BY cid",
			name,
		);
		const parents = await queries.all<{ parent: string }>(
			'SELECT DISTINCT "table" AS parent FROM pragma_foreign_key_list($1)',
			name,
		);
		const key = columns.filter(({ place }) => place > 0).sort((a, b) => a.place - b.place);
		return {
			name,
			columns: columns.map((column) => column.name),
			key: key.map((column) => column.name),
			parents: parents.map(({ parent }) => parent),
		};
	});
	return parentsFirst(await Promise.all(found));
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

function selectAll({ name, columns, key }: Table & TableShape): string {
	return `SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`;
}
