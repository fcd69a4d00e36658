// Loaded into a service before it starts (`--import`): counts the reads that reach its embedded database.

import { writeFileSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";

let reads = 0;
const { prepare } = DatabaseSync.prototype;

DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
	const statement = prepare.call(this, sql);
	// `total_changes()` is a counter of the connection, which every commit asks.
	if (!/^\s*(?:SELECT|WITH)\s/.test(sql) || sql.includes("total_changes()")) return statement;
	Object.assign(statement, { get: counted(statement.get), all: counted(statement.all) });
	return statement;
};

function counted(method: (...values: never[]) => unknown) {
	return function (this: StatementSync, ...values: unknown[]): unknown {
		reads++;
		return Reflect.apply(method, this, values);
	};
}

// The service only logs this signal.
process.on("SIGUSR2", () => writeFileSync(String(process.env.BENCH_READS_FILE), `${reads}\n`));
