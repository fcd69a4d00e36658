// Checks the database: schema, whether the master key opens its secrets, the clock, which servers of PostgreSQL accept
// writes, and what a failover would lose.

import { SCHEMA_VERSION, schemaVersion } from "../../adapters/migrations/migrate.ts";
import { findForeignTables } from "../../adapters/postgres/postgres-owner.ts";
import type { Engine } from "../../adapters/sql/engine.ts";
import { SEALED_COLUMNS, sampleOf } from "../../adapters/sql/sealed-columns.ts";
import { FIND_UNBOUND_CLIENTS, type UnboundClientRow } from "../../adapters/sql/unbound-codes.ts";
import { type DatabaseFacts, inspectSqlite } from "../../adapters/sqlite/inspect-sqlite.ts";
import { refuseUnwritable } from "../../adapters/sqlite/refuse-unwritable.ts";
import { createDatabaseServerStore } from "../../adapters/stores/database-server-store.ts";
import type { SealedRow } from "../../adapters/stores/sealed-text-store.ts";
import { databaseFile, withDatabase } from "../../app/installation-place.ts";
import { loadExistingKeys } from "../../app/master-keys.ts";
import type { Config } from "../../config/config.ts";
import { parseMasterKeys, SecretBox, SecretBoxError, sealedWith } from "../../crypto/secret-box.ts";
import { compareServers, findRivals, nameServer } from "../../domain/database-server.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import type { Clock } from "../../kernel/clock.ts";
import { compareClock, examineClock } from "./clock.ts";
import { failing } from "./failing.ts";

const NOW = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS at";

/** The others are counted. */
const NAMED_TABLES = 3;

export async function examineDatabase(config: Config, clock: Clock): Promise<InstallationCheck[]> {
	if (config.databaseUrl !== null) {
		const checks = await failing("database.unusable", () => examinePostgres(config, clock));
		const isCompared = checks.some(({ name }) => name === "clock");
		return isCompared ? checks : [...checks, examineClock(null, clock())];
	}
	const file = databaseFile(config);
	return failing("database.unusable", async () => {
		refuseUnwritable(file);
		const facts = inspectSqlite(file);
		return [
			examineSchema(facts),
			...(await failing("secrets.unusable", () => examineSecrets(config, facts))),
			...examineClients(facts.unboundClients),
			examineClock(facts.newestAtMs, clock()),
		];
	});
}

/** Checks a PostgreSQL database. Its integrity is up to its administrator. */
function examinePostgres(config: Config, clock: Clock): Promise<InstallationCheck[]> {
	return withDatabase(config, async (engine) => {
		const schema = await schemaVersion(engine);
		const clockCheck = await examinePostgresClock(engine, clock);
		if (schema === 0) return [check("database.reachable"), check("installation.empty"), clockCheck];
		const servers = await examineServers(engine, config);
		const isCurrent = schema === SCHEMA_VERSION;
		const sealed = isCurrent ? await sampleSealed(engine) : [];
		const secrets = await failing("secrets.unusable", () => examineSecrets(config, { sealed }));
		const unbound = isCurrent ? await engine.queries.all<UnboundClientRow>(FIND_UNBOUND_CLIENTS) : [];
		const clients = examineClients(unbound.map(({ application }) => application));
		const owner = await examineOwner(engine);
		return [...servers, ...owner, examineSchema({ schema }), ...secrets, ...clients, clockCheck];
	});
}

async function examineOwner({ queries }: Engine): Promise<InstallationCheck[]> {
	const foreign = await findForeignTables(queries);
	if (foreign.length === 0) return [];
	const row = await queries.one<{ role: string }>("SELECT CAST(current_user AS TEXT) AS role");
	const others = foreign.length - NAMED_TABLES;
	const tables = foreign.slice(0, NAMED_TABLES).join(", ") + (others > 0 ? ` and ${others} more` : "");
	return [check("database.other_owner", { role: row?.role ?? "", tables })];
}

async function examinePostgresClock({ queries }: Engine, clock: Clock): Promise<InstallationCheck> {
	const beforeMs = clock();
	const row = await queries.one<{ at: number }>(NOW);
	const afterMs = clock();
	const difference = compareClock({ server: "PostgreSQL", beforeMs, atMs: row?.at ?? afterMs, afterMs });
	return difference ?? examineClock(null, afterMs);
}

/** Reads at most 1,000 encrypted texts of each column: all of them would take minutes. `latchkey rekey --check` reads all. */
async function sampleSealed({ queries }: Engine): Promise<DatabaseFacts["sealed"]> {
	const samples: { readonly sealed: string; readonly context: string }[] = [];
	for (const column of SEALED_COLUMNS)
		for (const { id, sealed } of await queries.all<SealedRow>(sampleOf(column)))
			samples.push({ sealed, context: column.contextOf(id) });
	return samples;
}

function examineSchema({ schema: version }: Pick<DatabaseFacts, "schema">): InstallationCheck {
	if (version === SCHEMA_VERSION) return check("schema.current", { version });
	const code = version > SCHEMA_VERSION ? "schema.newer" : "schema.older";
	return check(code, { version, supported: SCHEMA_VERSION });
}

function examineSecrets(config: Config, { sealed }: Pick<DatabaseFacts, "sealed">): InstallationCheck {
	const keysText = loadExistingKeys(config);
	try {
		const box = new SecretBox(parseMasterKeys(keysText));
		for (const sample of sealed) box.open(sample.sealed, sample.context);
		if (sealed.some((sample) => sealedWith(sample.sealed) !== box.keyId)) return check("secrets.other_key");
		return check(sealed.length === 0 ? "secrets.none" : "secrets.readable");
	} catch (error) {
		if (!(error instanceof SecretBoxError)) throw error;
		return check("secrets.unreadable", { reason: error.message });
	}
}

function examineClients(unbound: readonly string[]): InstallationCheck[] {
	return unbound.length === 0 ? [] : [check("oauth_clients.pkce_off", { applications: unbound.join(", ") })];
}

/** Both settings are visible to every role; the state of the standbys is not. */
const SYNCHRONY = `SELECT current_setting('synchronous_commit') AS "commit",
	current_setting('synchronous_standby_names') AS standbys`;

async function examineServers(
	engine: Engine,
	{ databaseStandby }: Pick<Config, "databaseStandby">,
): Promise<InstallationCheck[]> {
	const found = [
		...(await compareWithAccepted(engine)),
		...(await findSecondWriter(engine)),
		...(await examineSynchrony(engine, databaseStandby)),
	];
	return found.length === 0 ? [check("database.reachable")] : found;
}

async function compareWithAccepted({ queries, serverIdentity }: Engine): Promise<InstallationCheck[]> {
	const server = await createDatabaseServerStore(queries, serverIdentity).find();
	if (server === undefined) return [check("database.no_timeline")];
	const { current, accepted } = server;
	const change = compareServers(server);
	if (accepted === null || (change !== "outdated" && change !== "other")) return [];
	return [
		check(change === "outdated" ? "database.outdated" : "database.other_server", { current, accepted }),
	];
}

async function findSecondWriter(engine: Engine): Promise<InstallationCheck[]> {
	const rivals = findRivals(await engine.probeServers());
	if (rivals.length === 0) return [];
	const servers = rivals.map(({ host, identity }) => nameServer(host, identity));
	return [check("database.two_servers", { servers: servers.join(", ") })];
}

async function examineSynchrony(
	{ queries }: Engine,
	standby: Config["databaseStandby"],
): Promise<InstallationCheck[]> {
	const row = await queries.one<{ commit: string; standbys: string }>(SYNCHRONY);
	if (row?.commit === "local") return [check("database.commits_local")];
	return standby === "synchronous" && row?.standbys === "" ? [check("database.standby_unset")] : [];
}
