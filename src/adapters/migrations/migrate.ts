// Migrates a database to the newest schema, one transaction a migration.

import { StartError } from "../../kernel/start-error.ts";
import type { Engine, Queries } from "../sql/engine.ts";
import { initial } from "./0001-initial.ts";
import { clientLife } from "./0002-client-life.ts";
import { groups } from "./0003-groups.ts";
import { webhooks } from "./0004-webhooks.ts";
import { auditKept } from "./0005-audit-kept.ts";
import { identityProviders } from "./0006-identity-providers.ts";
import { secondFactors } from "./0007-second-factors.ts";
import { recovery } from "./0008-recovery.ts";
import { signingKeys } from "./0009-signing-keys.ts";
import { countedLists } from "./0010-counted-lists.ts";
import { auditNotReplaced } from "./0011-audit-not-replaced.ts";
import { limitsPerAddress } from "./0012-limits-per-address.ts";
import { listedMails } from "./0013-listed-mails.ts";
import { auditNames } from "./0014-audit-names.ts";
import { userLocale } from "./0015-user-locale.ts";
import { foundAccounts } from "./0016-found-accounts.ts";
import { refusalsAndStatistics } from "./0017-refusals-and-statistics.ts";
import { tenantBrandsTable } from "./0018-tenant-brands.ts";
import { adminKeys } from "./0019-admin-keys.ts";
import { sessionTickets } from "./0020-session-tickets.ts";
import { oauthClients } from "./0021-oauth-clients.ts";
import { oauthRecords } from "./0022-oauth-records.ts";
import { sortedAccounts } from "./0023-sorted-accounts.ts";
import { nonceBatches } from "./0024-nonce-batches.ts";
import { idTokenKeys } from "./0025-id-token-keys.ts";
import { logoutNotices } from "./0026-logout-notices.ts";
import { deviceCodes } from "./0027-device-codes.ts";

/** In order, numbered from 1; a released migration never changes. */
export const MIGRATIONS = [
	{ name: "initial", sql: initial },
	{ name: "client-life", sql: clientLife },
	{ name: "groups", sql: groups },
	{ name: "webhooks", sql: webhooks },
	{ name: "audit-kept", sql: auditKept },
	{ name: "identity-providers", sql: identityProviders },
	{ name: "second-factors", sql: secondFactors },
	{ name: "recovery", sql: recovery },
	{ name: "signing-keys", sql: signingKeys },
	{ name: "counted-lists", sql: countedLists },
	{ name: "audit-not-replaced", sql: auditNotReplaced },
	{ name: "limits-per-address", sql: limitsPerAddress },
	{ name: "listed-mails", sql: listedMails },
	{ name: "audit-names", sql: auditNames },
	{ name: "user-locale", sql: userLocale },
	{ name: "found-accounts", sql: foundAccounts },
	{ name: "refusals-and-statistics", sql: refusalsAndStatistics },
	{ name: "tenant-brands", sql: tenantBrandsTable },
	{ name: "admin-keys", sql: adminKeys },
	{ name: "session-tickets", sql: sessionTickets },
	{ name: "oauth-clients", sql: oauthClients },
	{ name: "oauth-records", sql: oauthRecords },
	{ name: "sorted-accounts", sql: sortedAccounts },
	{ name: "nonce-batches", sql: nonceBatches },
	{ name: "id-token-keys", sql: idTokenKeys },
	{ name: "logout-notices", sql: logoutNotices },
	{ name: "device-codes", sql: deviceCodes },
];

const CREATE_TABLE =
	"CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)";

export const SCHEMA_VERSION = MIGRATIONS.length;

/** @returns the schema version found, 0 for an empty database. Changes nothing. */
export async function schemaVersion(engine: Engine): Promise<number> {
	if (!(await engine.hasTable("schema_migrations"))) return 0;
	const row = await engine.queries.one<{ version: number | null }>(
		"SELECT max(version) AS version FROM schema_migrations",
	);
	return row?.version ?? 0;
}

/**
 * Applies missing migrations and returns their names. Of several processes that start at once, one applies them and the
 * others find nothing to do.
 *
 * @throws StartError when the database was written by a newer program.
 */
export async function migrate(engine: Engine, nowMs: number): Promise<string[]> {
	if ((await requireKnown(engine)) === SCHEMA_VERSION) return [];
	return engine.exclusively(async () => {
		// Checked again: another process may have migrated before it released the lock.
		const found = await requireKnown(engine);
		if (found === 0) await createTable(engine);
		const missing = MIGRATIONS.slice(found);
		for (const [index, migration] of missing.entries())
			await apply(engine, { ...migration, version: found + index + 1 }, nowMs);
		return missing.map(({ name }) => name);
	});
}

/**
 * Applies the migrations after number `from` up to number `to` inside the caller's transaction: for a database that is
 * built in one transaction.
 */
export async function migrateWithin(
	engine: Engine,
	queries: Queries,
	{ from, to, nowMs }: { readonly from: number; readonly to: number; readonly nowMs: number },
): Promise<void> {
	if (from === 0) await queries.run(CREATE_TABLE);
	for (const [index, migration] of MIGRATIONS.slice(from, to).entries())
		await applyWithin(engine, queries, { ...migration, version: from + index + 1 }, nowMs);
}

async function requireKnown(engine: Engine): Promise<number> {
	const found = await schemaVersion(engine);
	if (found <= SCHEMA_VERSION) return found;
	throw new StartError(
		`the database has schema ${found}, this program knows up to ${SCHEMA_VERSION}: start the newer version of latchkey that wrote it`,
	);
}

function createTable(engine: Engine): Promise<unknown> {
	return engine.transaction((queries) => queries.run(CREATE_TABLE));
}

interface Numbered {
	readonly version: number;
	readonly name: string;
	readonly sql: string;
}

function apply(engine: Engine, migration: Numbered, nowMs: number): Promise<unknown> {
	return engine.transaction((queries) => applyWithin(engine, queries, migration, nowMs));
}

async function applyWithin(
	engine: Engine,
	queries: Queries,
	{ version, name, sql }: Numbered,
	nowMs: number,
): Promise<void> {
	await engine.script(queries, engine.migrationText(sql));
	await queries.run(
		"INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)",
		version,
		name,
		nowMs,
	);
}
