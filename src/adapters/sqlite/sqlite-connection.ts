// A connection to an embedded database, with its prepared statements.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Queries, type Sql, type SqlValue, textOf } from "../sql/queries.ts";
import type { Faults } from "./sqlite-fault.ts";
import type { RowCache } from "./sqlite-row-cache.ts";
import { toSqlite } from "./sqlite-statement-tables.ts";

/** One connection; prepares each statement once and keeps it. */
export class Connection implements Queries {
	readonly #database: DatabaseSync;
	readonly #faults: Faults;
	/** Only for the writer: records each statement that may change rows. */
	readonly #cache: RowCache | undefined;
	readonly #statements = new Map<string, Prepared>();

	constructor(database: DatabaseSync, faults: Faults, cache?: RowCache) {
		this.#database = database;
		this.#faults = faults;
		this.#cache = cache;
	}

	one<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row | undefined> {
		return this.#settle(() => this.oneNow<Row>(sql, parameters));
	}

	all<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row[]> {
		return this.#settle(() => this.allNow<Row>(sql, parameters));
	}

	run(sql: Sql, ...parameters: SqlValue[]): Promise<number> {
		return this.#settle(() => this.runNow(sql, parameters));
	}

	oneNow<Row>(sql: Sql, parameters: SqlValue[]): Row | undefined {
		const { statement, columns } = this.#prepared(sql, parameters);
		const values = statement.get(...parameters) as unknown as SqlValue[] | undefined;
		return values === undefined ? undefined : (toRow(columns, values) as Row);
	}

	allNow<Row>(sql: Sql, parameters: SqlValue[]): Row[] {
		const { statement, columns } = this.#prepared(sql, parameters);
		const rows = statement.all(...parameters) as unknown as SqlValue[][];
		return rows.map((values) => toRow(columns, values) as Row);
	}

	/** Row by row, as arrays of values; the statement is not shared. */
	iterateNow(sql: string): Iterator<SqlValue[]> {
		const statement = this.#database.prepare(sql);
		statement.setReturnArrays(true);
		return statement.iterate() as unknown as Iterator<SqlValue[]>;
	}

	runNow(sql: Sql, parameters: SqlValue[]): number {
		return Number(this.#prepared(sql, parameters).statement.run(...parameters).changes);
	}

	/** Runs a script. */
	exec(sql: string): void {
		this.#cache?.noteScript();
		try {
			this.#database.exec(sql);
		} finally {
			if (!this.#database.isTransaction) this.#cache?.dropIfWritten();
		}
	}

	/** Wraps the synchronous call of node:sqlite in a promise. */
	#settle<T>(work: () => T): Promise<T> {
		try {
			return Promise.resolve(work());
		} catch (error) {
			return Promise.reject(this.#faults.translate(error));
		}
	}

	#prepared(sql: Sql, parameters: readonly SqlValue[]): Prepared {
		this.#cache?.note(sql, parameters);
		const text = textOf(sql);
		let prepared = this.#statements.get(text);
		if (prepared === undefined) {
			const statement = this.#database.prepare(toSqlite(text));
			statement.setReturnArrays(true);
			prepared = { statement, columns: statement.columns().map(({ name }) => name) };
			this.#statements.set(text, prepared);
		}
		return prepared;
	}
}

interface Prepared {
	readonly statement: StatementSync;
	readonly columns: readonly string[];
}

/** Faster than the row objects of node:sqlite, each of which has its own hidden class. */
function toRow(columns: readonly string[], values: readonly SqlValue[]): Record<string, SqlValue> {
	const row: Record<string, SqlValue> = {};
	let index = 0;
	for (const column of columns) row[column] = values[index++] ?? null;
	return row;
}
