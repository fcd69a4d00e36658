// Voids, on a running database, what a restore would void: after a failover, a point-in-time recovery, or a snapshot,
// the database may lack what was used, revoked, or ended last.

import type { Installation } from "../app/open-installation.ts";
import { type VoidReport, voidForgotten } from "../app/void-forgotten.ts";
import { compareServers, type DatabaseServer, type DatabaseServerStore } from "../domain/database-server.ts";
import type { Clock } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import { cliCaller } from "./cli-caller.ts";

export interface FenceOptions {
	/** Only sessions used after this time end; undefined: all. */
	readonly sinceMs: number | undefined;
	/** Continue on a database server that is not the successor of the one before. */
	readonly acceptServer: boolean;
	readonly clock: Clock;
}

/** @throws StartError (`refused`) on another server without `acceptServer`. */
export async function fence(
	installation: Pick<Installation, "db" | "engine">,
	{ sinceMs, acceptServer, clock }: FenceOptions,
): Promise<VoidReport> {
	const nowMs = clock();
	const { databaseServer } = installation.db.stores;
	const server = await findChangedServer(databaseServer, acceptServer);
	const report = await voidForgotten(installation, { sinceMs, nowMs, callerOf: cliCaller });
	// Last: until then, the server claims no nonce, and it may have forgotten those of requests that are not refused yet.
	if (server !== undefined) await databaseServer.accept(server);
	return report;
}

/** Undefined if the current server is the accepted one. */
async function findChangedServer(
	databaseServer: DatabaseServerStore,
	acceptServer: boolean,
): Promise<DatabaseServer | undefined> {
	const server = await databaseServer.find();
	const change = server === undefined ? "none" : compareServers(server);
	if (server === undefined || change === "none" || change === "first") return undefined;
	if (change !== "promoted" && !acceptServer)
		throw new StartError(
			`the database is on the server ${server.current}, which does not continue ${server.accepted}: compare its data, then add --accept-server`,
			{ kind: "refused" },
		);
	return server;
}
