// Fills a database in one transaction: the tables of a schema, copied rows, then the newest schema.

import { RESTORE_POLICY } from "../../adapters/copy/restore-policy.ts";
import { migrateWithin, SCHEMA_VERSION } from "../../adapters/migrations/migrate.ts";
import type { Engine, Queries } from "../../adapters/sql/engine.ts";
import {
	READ_SCHEMA_VERSION,
	requireReleased,
	type SchemaVersionRow,
} from "../../adapters/sql/schema-version.ts";
import { SEALED_COLUMNS } from "../../adapters/sql/sealed-columns.ts";
import { AppendedEvents } from "../../adapters/stores/appended-events.ts";
import { createAuditStore } from "../../adapters/stores/audit-store.ts";
import { forgetServer } from "../../adapters/stores/database-server-store.ts";
import { createTenantStore } from "../../adapters/stores/tenant-store.ts";
import { openOrRefuse } from "../../app/stored-keys.ts";
import type { SecretBox } from "../../crypto/secret-box.ts";
import type { AuditEntry } from "../../domain/audit.ts";
import { MIGRATIONS_TABLE, type Table } from "../../domain/backup.ts";
import { auditChain } from "../../features/record/audit/chain.ts";
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import { StartError } from "../../kernel/start-error.ts";
import { cliCaller } from "../cli-caller.ts";
import { contentTables } from "./backup.ts";

interface Filling {
	/** The schema of the rows. */
	readonly schema: number;
	/** Whether existing content is deleted. */
	readonly replace: boolean;
	/** The error message for existing content without `replace`. */
	readonly refusal: string;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
	/** Inserts the rows; triggers are disabled. */
	copy(queries: Queries, tables: readonly Table[]): Promise<void>;
	/** Runs on the newest schema, with triggers enabled. */
	finish(queries: Queries): Promise<void>;
	/** The event to append to the audit trail of every tenant. */
	event(): Pick<AuditEntry, "action" | "details">;
}

/**
 * Atomic even if the process is killed: the database is unchanged until the commit.
 *
 * @throws StartError when the database is not empty, or has other open connections.
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
	await forgetServer(queries);
	await filling.finish(queries);
	await openSamples(queries, secretBox);
	await appendToTrails(engine, queries, filling);
	// A node that started in the meantime may have read rows that are now deleted.
	await refuseOthers(engine, queries);
}

async function refuseOthers({ whole }: Engine, queries: Queries): Promise<void> {
	const others = await whole.others(queries);
	if (others.length > 0)
		throw new StartError(
			`the database is in use (${others.join(", ")}): stop the service on every node first; a pooler's idle connections count too`,
			{ kind: "refused" },
		);
}

async function clear({ whole }: Engine, queries: Queries, { replace, refusal }: Filling): Promise<void> {
	const found = await whole.tables(queries);
	const known = found.filter(({ name }) => name === MIGRATIONS_TABLE || name in RESTORE_POLICY);
	if (known.length === 0) return;
	await requireKnownSchema(queries, known);
	const isFilled =
		known.some(({ name }) => name === "tenants") &&
		(await queries.one("SELECT 1 AS found FROM tenants LIMIT 1")) !== undefined;
	if (isFilled && !replace) throw new StartError(refusal, { kind: "refused" });
	await whole.drop(queries, known);
}

/** A newer schema may have tables that this version does not know: they would remain and break a later upgrade. */
async function requireKnownSchema(queries: Queries, tables: readonly Table[]): Promise<void> {
	if (!tables.some(({ name }) => name === MIGRATIONS_TABLE)) return;
	const version = requireReleased(await queries.one<SchemaVersionRow>(READ_SCHEMA_VERSION));
	if (version > SCHEMA_VERSION)
		throw new StartError(
			`the database has schema ${version}, this version of latchkey supports up to ${SCHEMA_VERSION}: use an empty database, or move the file away`,
		);
}

/** The events of a copy name no user. */
const noUser = (): never => {
	throw new Error("an event of a copy names a user");
};
const NO_USERS = { open: noUser, userCiphers: { newKey: noUser, of: noUser } };

async function appendToTrails({ name }: Engine, queries: Queries, { clock, event }: Filling): Promise<void> {
	const options = { nowMs: clock, newId: () => newId(clock()), auditChain, ...NO_USERS };
	const appended = new AppendedEvents(queries, options, name === "postgres");
	appended.begin();
	const audit = createAuditStore(queries, options, appended);
	for (const { id } of await createTenantStore(queries).listAll()) {
		const { action, details } = event();
		await audit.append(cliCaller(id), action, "", details);
	}
	await appended.write();
}

/** Decrypts one secret per column and master key. @throws StartError when a key does not decrypt its secret. */
async function openSamples(queries: Queries, secretBox: SecretBox): Promise<void> {
	for (const { table, column, id, contextOf } of SEALED_COLUMNS) {
		// Encrypted text begins with `v1.` and the 8-digit id of its key.
		const rows = await queries.all<{ id: string; sealed: string }>(
			`SELECT ${id} AS id, ${column} AS sealed FROM ${table} WHERE ${id} IN
			 (SELECT min(${id}) FROM ${table} WHERE ${column} LIKE 'v1.%' GROUP BY substr(${column}, 1, 11))`,
		);
		for (const row of rows) openOrRefuse(secretBox, row.sealed, contextOf(row.id));
	}
}
