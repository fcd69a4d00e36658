// Makes a whole database in one transaction: the tables of a schema, rows from elsewhere, then the newest schema.

import { createAuditStore } from "../adapters/sql/audit-store.ts";
import type { Engine, Queries } from "../adapters/sql/engine.ts";
import { migrateWithin, SCHEMA_VERSION } from "../adapters/sql/migrate.ts";
import { RESTORE_POLICY } from "../adapters/sql/restore-policy.ts";
import { SEALED_COLUMNS } from "../adapters/sql/sealed-columns.ts";
import { createTenantStore } from "../adapters/sql/tenant-store.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import { chainHash } from "../features/audit/chain.ts";
import type { AuditEntry } from "../features/audit/model.ts";
import { MIGRATIONS_TABLE, type Table } from "../features/backup/model.ts";
import type { Clock } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { StartError } from "../kernel/start-error.ts";
import { contentTables } from "./backup.ts";
import { openOrRefuse } from "./signing-keys.ts";

export interface Filling {
	/** The schema of the rows. */
	readonly schema: number;
	/** Whether what is there may go, … */
	readonly replace: boolean;
	/** … and what to say when it may not. */
	readonly refusal: string;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
	/** Puts the rows into the tables; triggers are silent. */
	copy(queries: Queries, tables: readonly Table[]): Promise<void>;
	/** On the newest schema, triggers awake. */
	finish(queries: Queries): Promise<void>;
	/** What the trail of every tenant is told of it. */
	event(): Pick<AuditEntry, "action" | "details">;
}

/**
 * All or nothing, also for a process that is killed: the database is as it was until the commit.
 *
 * @throws StartError when it is not empty, or somebody else is connected to it.
 */
export function fillDatabase(engine: Engine, filling: Filling): Promise<void> {
	return engine.exclusively(() => engine.transaction((queries) => fillWithin(engine, queries, filling)));
}

async function fillWithin(engine: Engine, queries: Queries, filling: Filling): Promise<void> {
	const { schema, secretBox, clock } = filling;
	const nowMs = clock();
	await refuseOthers(engine, queries);
	await clear(engine, queries, filling);
	await migrateWithin(engine, queries, { from: 0, to: schema, nowMs });
	const tables = await contentTables(engine.whole, queries);
	await engine.whole.copying(queries, () => filling.copy(queries, tables));
	await migrateWithin(engine, queries, { from: schema, to: SCHEMA_VERSION, nowMs });
	await filling.finish(queries);
	await openSamples(queries, secretBox);
	await tellTrails(queries, filling);
	// A node that was started meanwhile may have read what is gone.
	await refuseOthers(engine, queries);
}

async function refuseOthers({ whole }: Engine, queries: Queries): Promise<void> {
	const others = await whole.others(queries);
	if (others.length > 0)
		throw new StartError(
			`the database is in use (${others.join(", ")}): stop the service on every node first; a pooler's idle connections count too`,
		);
}

async function clear({ whole }: Engine, queries: Queries, { replace, refusal }: Filling): Promise<void> {
	const found = await whole.tables(queries);
	const ours = found.filter(({ name }) => name === MIGRATIONS_TABLE || name in RESTORE_POLICY);
	if (ours.length === 0) return;
	await requireKnownSchema(queries, ours);
	const isFilled =
		ours.some(({ name }) => name === "tenants") &&
		(await queries.one("SELECT 1 AS found FROM tenants LIMIT 1")) !== undefined;
	if (isFilled && !replace) throw new StartError(refusal);
	await whole.drop(queries, ours);
}

/** Of a newer schema there may be tables this program does not know: they would stay, and be in the way of a later upgrade. */
async function requireKnownSchema(queries: Queries, tables: readonly Table[]): Promise<void> {
	if (!tables.some(({ name }) => name === MIGRATIONS_TABLE)) return;
	const row = await queries.one<{ version: number | null }>(
		`SELECT max(version) AS version FROM ${MIGRATIONS_TABLE}`,
	);
	if ((row?.version ?? 0) > SCHEMA_VERSION)
		throw new StartError(
			`the database has schema ${row?.version}, this program knows up to ${SCHEMA_VERSION}: name an empty database, or move the file away`,
		);
}

async function tellTrails(queries: Queries, { clock, event }: Filling): Promise<void> {
	const audit = createAuditStore(queries, { nowMs: clock, newId: () => newId(clock()), chainHash });
	for (const { id } of await createTenantStore(queries).listAll())
		await audit.append({ tenantId: id, actor: "system", target: "", origin: SYSTEM_ORIGIN, ...event() });
}

/** One secret of each kind and master key. @throws StartError when a key does not open what it is said to have sealed. */
async function openSamples(queries: Queries, secretBox: SecretBox): Promise<void> {
	for (const { table, column, id, contextOf } of SEALED_COLUMNS) {
		// A sealed text begins with `v1.` and the 8 digits of its key's id.
		const rows = await queries.all<{ id: string; sealed: string }>(
			`SELECT ${id} AS id, ${column} AS sealed FROM ${table} WHERE ${id} IN
			 (SELECT min(${id}) FROM ${table} WHERE ${column} LIKE 'v1.%' GROUP BY substr(${column}, 1, 11))`,
		);
		for (const row of rows) openOrRefuse(secretBox, row.sealed, contextOf(row.id));
	}
}
