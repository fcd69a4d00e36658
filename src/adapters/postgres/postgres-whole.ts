// A PostgreSQL database as a whole: read with cursors in one snapshot, filled with many rows per statement.

import {
	type ColumnRow,
	type ParentRow,
	selectAll,
	tablesOf,
	type WholeDatabase,
} from "../sql/whole-database.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

const BATCH_ROWS = 1_000;
const NO_LIMITS = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";
/**
 * Begins a read-only snapshot without time limits. The lock comes before the snapshot: otherwise a month of the audit trail could be
 * dropped in between, and the snapshot would have neither its events nor the checkpoint.
 */
export const BEGIN_VIEW = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${NO_LIMITS}; LOCK TABLE audit_events IN ACCESS SHARE MODE`;

const COLUMNS = `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
	  coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS place
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
	WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = CAST(current_schema() AS regnamespace)
	ORDER BY c.relname, a.attnum`;
const PARENTS = `SELECT DISTINCT c.relname AS table, p.relname AS parent
	FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
	WHERE f.contype = 'f' AND c.relnamespace = CAST(current_schema() AS regnamespace)`;
const TRIGGERED = `SELECT DISTINCT c.relname AS table, t.tgfoid::regprocedure::text AS function
	FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
	WHERE NOT t.tgisinternal AND c.relnamespace = CAST(current_schema() AS regnamespace)`;
/** Other clients with the same role: the nodes of this installation. This process has its own application name. */
const OTHERS = `SELECT DISTINCT application_name AS name FROM pg_stat_activity
	WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
	  AND backend_type = 'client backend' AND application_name <> current_setting('application_name')`;

type View = <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>;

/** @param view runs work on a connection after `BEGIN_VIEW`. */
export function postgresWhole(view: View): WholeDatabase<PostgresConnection> {
	const types = new Map<string, string>();
	return {
		view,
		async tables(queries) {
			const columns = await queries.all<ColumnRow & { readonly type: string }>(COLUMNS);
			for (const { table, name, type } of columns) types.set(`${table}.${name}`, type);
			return tablesOf(columns, await queries.all<ParentRow>(PARENTS));
		},
		async *rows(connection, table) {
			await connection.script(`DECLARE whole NO SCROLL CURSOR FOR ${selectAll(table)}`, 0);
			for (;;) {
				const rows = await connection.patientRows(`FETCH ${BATCH_ROWS} FROM whole`);
				if (rows.length > 0) yield rows;
				if (rows.length < BATCH_ROWS) break;
			}
			await connection.script("CLOSE whole");
		},
		async insert(connection, { name, columns }, rows) {
			if (name === "audit_events") {
				const times = rows.map((row) => row[columns.indexOf("at")] ?? null);
				await connection.patientRows("SELECT add_audit_month(at) FROM unnest($1::bigint[]) AS at", [times]);
			}
			const lists = columns.map((column, index) => `$${index + 1}::${types.get(`${name}.${column}`)}[]`);
			const sql = `INSERT INTO ${name} (${columns.join(", ")}) SELECT * FROM unnest(${lists.join(", ")})`;
			const values = columns.map((_, index) => rows.map((row) => row[index] ?? null));
			await connection.patientRows(sql, values);
		},
		async copying(connection, work) {
			await connection.script(NO_LIMITS);
			const turn = async (how: "DISABLE" | "ENABLE"): Promise<void> => {
				const triggered = await connection.all<{ table: string }>(TRIGGERED);
				const tables = [...new Set(triggered.map(({ table }) => table))];
				await connection.script(
					tables.map((table) => `ALTER TABLE ${table} ${how} TRIGGER USER;`).join(" "),
					0,
				);
			};
			await turn("DISABLE");
			const value = await work();
			// Again, because the rows may have needed further tables.
			await turn("ENABLE");
			return value;
		},
		run: async (connection, sql) => (await connection.script(sql, 0)).rowCount ?? 0,
		async drop(connection, shapes) {
			const names = shapes.map(({ name }) => name);
			const triggered = await connection.all<{ table: string; function: string }>(TRIGGERED);
			const functions = triggered.flatMap((row) => (names.includes(row.table) ? [row.function] : []));
			const statements = [
				NO_LIMITS,
				`DROP TABLE ${names.join(", ")} CASCADE`,
				...[...new Set(functions)].map((name) => `DROP FUNCTION ${name} CASCADE`),
			];
			await connection.script(statements.join("; "), 0);
		},
		async others(queries) {
			return (await queries.all<{ name: string }>(OTHERS)).map(({ name }) => name || "without a name");
		},
	};
}
