// The process of `sqlite-searches.ts`, which runs SELECT statements one by one on a read-only connection. It ends when the
// service closes the channel, or is gone.

import { DatabaseSync } from "node:sqlite";
import type { SqlValue, Statement } from "../sql/queries.ts";
import { ignoreSignals } from "./reader-process.ts";
import { BUSY_TIMEOUT_MS } from "./sqlite-batches.ts";
import { Connection } from "./sqlite-connection.ts";
import { Faults } from "./sqlite-fault.ts";
import { narrowed } from "./sqlite-names.ts";

export interface Question {
	readonly sql: Statement;
	readonly parameters: readonly SqlValue[];
}

/** Rows, or SQLite's error. */
export type Outcome =
	| { readonly rows: unknown[] }
	| { readonly message: string; readonly errcode: number | undefined };

const database = new DatabaseSync(process.argv[2] ?? "", { readOnly: true, timeout: BUSY_TIMEOUT_MS });
database.exec("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;");
const connection = new Connection(database, new Faults());

ignoreSignals();
process.on("message", ({ sql, parameters }: Question) => process.send?.(response(sql, parameters)));

/** Uses one snapshot, so that the index matches the rows. */
function search(sql: Statement, parameters: readonly SqlValue[]): unknown[] {
	database.exec("BEGIN");
	try {
		return connection.allNow(...narrowed(connection, sql, parameters));
	} finally {
		// A failed read may have ended the transaction.
		if (database.isTransaction) database.exec("COMMIT");
	}
}

function response(sql: Statement, parameters: readonly SqlValue[]): Outcome {
	try {
		return { rows: search(sql, parameters) };
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return { message: error.message, errcode: "errcode" in error ? Number(error.errcode) : undefined };
	}
}
