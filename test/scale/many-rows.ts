// Fills the tables of a service with copies of one row each, to measure lists at scale.

import { setImmediate } from "node:timers/promises";
import type { Engine, Queries } from "../../src/adapters/sql/engine.ts";
import { TABLES } from "../../src/adapters/sql/tables/all-tables.ts";

/** The values that differ between copies of a row: SQL by column, where `i` is the number of the copy, from 1. */
interface Copies {
	readonly table: string;
	/** Selects the row to copy. */
	readonly of: string;
	readonly differ: Readonly<Record<string, string>>;
}

const OWN_ID = { id: "id || '-' || i" };
const OLDER = { created_at: "created_at - i" };
const own = (...columns: readonly string[]): Record<string, string> =>
	Object.fromEntries(columns.map((column) => [column, `${column} || '-' || i`]));

/** Parents before their children. */
export function copiesOf(ids: {
	readonly person: string;
	readonly group: string;
	readonly app: string;
}): readonly Copies[] {
	const person = `id = '${ids.person}'`;
	const group = `group_id = '${ids.group}'`;
	const user = `user_id = '${ids.person}'`;
	const newest = "created_at = (SELECT max(created_at) FROM";
	return [
		{ table: "tenants", of: "slug <> 'default'", differ: { ...own("id", "slug"), ...OLDER } },
		{ table: "users", of: person, differ: { ...own("id", "username", "username_key", "email"), ...OLDER } },
		{ table: "sessions", of: user, differ: { ...OWN_ID, ...OLDER } },
		{ table: "applications", of: `id = '${ids.app}'`, differ: { ...own("id", "slug"), ...OLDER } },
		{ table: "api_clients", of: "1 = 1", differ: { ...own("id", "api_key"), ...OLDER } },
		{
			table: "requests",
			of: "1 = 1",
			differ: { ...own("id", "email", "withdraw_digest", "claim_digest"), ...OLDER },
		},
		{ table: "user_groups", of: `id = '${ids.group}'`, differ: { ...own("id", "name_key"), ...OLDER } },
		{ table: "group_members", of: `${group} AND ${user}`, differ: { user_id: "user_id || '-' || i" } },
		{ table: "group_members", of: `${group} AND ${user}`, differ: { group_id: "group_id || '-' || i" } },
		{ table: "grants", of: user, differ: { ...OWN_ID, user_id: "user_id || '-' || i", ...OLDER } },
		{
			table: "mail_outbox",
			of: `${newest} mail_outbox)`,
			differ: { ...OWN_ID, ...OLDER, status: "'sent'", finished_at: "created_at" },
		},
		{ table: "webhook_deliveries", of: `${newest} webhook_deliveries)`, differ: { ...OWN_ID, ...OLDER } },
		{
			table: "audit_events",
			of: "sequence = (SELECT max(sequence) FROM audit_events)",
			differ: { ...OWN_ID, sequence: "sequence + i" },
		},
	];
}

/** Rows added by one statement: PostgreSQL cancels one that takes longer than a request may. */
const BATCH = 5_000;

export async function copyRows(engine: Engine, copies: readonly Copies[], count: number): Promise<void> {
	await engine.transaction(async (queries) => {
		for (const one of copies) await copyRow(queries, one, count);
		await queries.run("UPDATE audit_heads SET sequence = sequence + $1", count);
	});
	// What autovacuum does in a running installation.
	if (engine.name === "postgres")
		for (const { table } of copies) await engine.queries.run(`ANALYZE ${table}`);
}

async function copyRow(queries: Queries, { table, of, differ }: Copies, count: number): Promise<void> {
	const columns = TABLES.find(({ name }) => name === table)?.fields.map(({ column }) => column) ?? [];
	await queries.run(`CREATE TEMPORARY TABLE original AS SELECT * FROM ${table} WHERE ${of} LIMIT 1`);
	for (let done = 0; done < count; done += BATCH) {
		const last = Math.min(done + BATCH, count);
		// SQLite runs on this thread: timers must close idle connections before the service does.
		await setImmediate();
		const copied = await queries.run(
			`WITH RECURSIVE n(i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $2)
			 INSERT INTO ${table} (${columns.join(", ")})
			 SELECT ${columns.map((column) => differ[column] ?? column).join(", ")} FROM original CROSS JOIN n`,
			done + 1,
			last,
		);
		if (copied !== last - done) throw new Error(`${copied} rows of ${table} were added`);
	}
	await queries.run("DROP TABLE original");
}
