// Checks which PostgreSQL servers accept writes, and what a failover would lose.

import type { Engine } from "../../adapters/sql/engine.ts";
import { createDatabaseServerStore } from "../../adapters/stores/database-server-store.ts";
import type { Config } from "../../config/config.ts";
import { compareServers, findRivals, nameServer } from "../../domain/database-server.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";

/** Both settings are visible to every role; the state of the standbys is not. */
const SYNCHRONY = `SELECT current_setting('synchronous_commit') AS "commit",
	current_setting('synchronous_standby_names') AS standbys`;

export async function examineServers(
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
