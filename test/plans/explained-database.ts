// A database with filled tables that explains each statement before it runs.

import type { Engine, Queries, SqlValue } from "../../src/adapters/sql/engine.ts";
import type { Sql } from "../../src/adapters/sql/queries.ts";
import type { TableDescription } from "../../src/adapters/sql/table.ts";
import { TABLES } from "../../src/adapters/sql/tables/all-tables.ts";
import { createKeyedDigest } from "../../src/crypto/digest.ts";
import type { Db } from "../../src/domain/stores.ts";
import { persistenceOn } from "../harness/databases/persistence.ts";
import { cells, NOW, ROWS, SMALL } from "./filled-rows.ts";

const ROWS_A_STATEMENT = 50;
/** Parents before their children; all other tables follow. */
const FIRST = [
	"tenants",
	"users",
	"user_groups",
	"applications",
	"api_clients",
	"sessions",
	"application_roles",
	"identity_providers",
	"directories",
	"directory_people",
	"oauth_clients",
	"requests",
];
const THEN = [
	"grants",
	"group_grants",
	"client_grants",
	"program_grants",
	"gates",
	"third_party_accounts",
	"webhooks",
];

export type Explain = (queries: Queries, sql: Sql, parameters: readonly SqlValue[]) => Promise<void>;

/** @param changes statements that run before the planner reads the tables */
export async function fillTables(engine: Engine, changes: readonly string[] = []): Promise<void> {
	const placeOf = ({ name }: TableDescription): number => {
		const place = [...FIRST, ...THEN].indexOf(name);
		return place < 0 ? TABLES.length : place;
	};
	await engine.transaction(async (queries) => {
		for (const table of TABLES.toSorted((a, b) => placeOf(a) - placeOf(b)))
			await fill(engine.name, queries, table);
		for (const change of changes) await queries.run(change);
	});
	// The embedded database plans without statistics: the service never gathers them.
	if (engine.name === "postgres") await engine.queries.run("ANALYZE");
}

async function fill(engineName: Engine["name"], queries: Queries, table: TableDescription): Promise<void> {
	const total = SMALL[table.name] ?? ROWS;
	if (table.name === "audit_events" && engineName === "postgres")
		await queries.run("SELECT add_audit_month(0)");
	const columns = table.fields.map(({ column }) => column);
	for (let from = 0; from < total; from += ROWS_A_STATEMENT) {
		const rows = Math.min(ROWS_A_STATEMENT, total - from);
		const values = Array.from({ length: rows }, (_, index) => cells(table, from + index)).flat();
		const places = Array.from(
			{ length: rows },
			(_, index) => `(${columns.map((_, column) => `$${index * columns.length + column + 1}`).join(", ")})`,
		);
		await queries.run(
			`INSERT INTO ${table.name} (${columns.join(", ")}) VALUES ${places.join(", ")}`,
			...values,
		);
	}
}

/** The stores over an engine; `explain` sees each statement before it runs. */
export function explainedStores(engine: Engine, explain: Explain): Db {
	const explained = (queries: Queries): Queries => ({
		async one<Row>(sql: Sql, ...parameters: SqlValue[]) {
			await explain(queries, sql, parameters);
			return queries.one<Row>(sql, ...parameters);
		},
		async all<Row>(sql: Sql, ...parameters: SqlValue[]) {
			await explain(queries, sql, parameters);
			return queries.all<Row>(sql, ...parameters);
		},
		async run(sql: Sql, ...parameters: SqlValue[]) {
			await explain(queries, sql, parameters);
			return queries.run(sql, ...parameters);
		},
	});
	const wrapped: Engine = Object.create(engine, {
		queries: { value: explained(engine.queries) },
		transaction: {
			value: <T>(work: (queries: Queries) => Promise<T>) =>
				engine.transaction((queries) => work(explained(queries))),
		},
	});
	return persistenceOn(wrapped, () => NOW, undefined, { keyedDigest: createKeyedDigest() });
}
