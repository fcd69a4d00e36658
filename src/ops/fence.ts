// Voids, on a running database, what a restore would void: after a failover, a point-in-time recovery, or a snapshot,
// the database may lack what was used, revoked, or ended last.

import { RESTORE_POLICY, restoredNonceFloor } from "../adapters/copy/restore-policy.ts";
import { raiseNonceFloor } from "../adapters/stores/row-nonces.ts";
import type { Installation } from "../app/open-installation.ts";
import { compareServers } from "../domain/database-server.ts";
import { SIGNATURE_WINDOW_SECONDS } from "../domain/nonce.ts";
import { ACCESS_TOKEN_SECONDS } from "../domain/session.ts";
import { type Clock, isoTime, SECOND_MS } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import { cliCaller } from "./cli-caller.ts";

/** Claims stay: they are what the fence protects. */
const CLAIMS = ["nonces", "nonce_batches"];
/** With a start time, they end with their session. */
const OF_SESSIONS = ["sessions", "used_refresh_tokens", "oauth_grants", "oauth_records"];

export interface FenceOptions {
	/** Only sessions used after this time end; undefined: all. */
	readonly sinceMs: number | undefined;
	/** Continue on a database server that is not the successor of the one before. */
	readonly acceptServer: boolean;
	readonly clock: Clock;
}

export interface FenceReport {
	/** Signed requests with a timestamp up to this time are refused. */
	readonly closedUntilMs: number;
	/** Descriptions of voided rows with their counts; counts of 0 are omitted. */
	readonly voided: readonly (readonly [string, number])[];
}

/** One transaction, then an audit event for each tenant. @throws StartError (`refused`) on another server without `acceptServer`. */
export async function fence(
	{ db, engine }: Pick<Installation, "db" | "engine">,
	{ sinceMs, acceptServer, clock }: FenceOptions,
): Promise<FenceReport> {
	const nowMs = clock();
	const floor = restoredNonceFloor({ nowMs, backupAtMs: 0 }, SIGNATURE_WINDOW_SECONDS);
	await acceptCurrentServer({ db }, acceptServer);
	const voided = await engine.transaction(async (queries) => {
		if (engine.soleWriter) await raiseNonceFloor(queries, floor);
		const counts: (readonly [string, number])[] = [];
		for (const [description, sql] of statements(sinceMs, nowMs))
			counts.push([description, await engine.whole.run(queries, sql)]);
		return counts;
	});
	if (!engine.soleWriter) await db.stores.databaseServer.closeUntil(floor);
	const details = {
		since: sinceMs === undefined ? "" : isoTime(sinceMs),
		signed_calls_refused_until: isoTime(floor * SECOND_MS),
	};
	for (const { id } of await db.stores.tenants.listAll())
		await db.transaction(({ audit }) => audit.append(cliCaller(id), "installation.fenced", "", details));
	return {
		closedUntilMs: floor * SECOND_MS,
		voided: voided.filter(([description, count]) => description !== "" && count > 0),
	};
}

async function acceptCurrentServer({ db }: Pick<Installation, "db">, acceptServer: boolean): Promise<void> {
	const server = await db.stores.databaseServer.find();
	if (server === undefined) return;
	const change = compareServers(server);
	if (change === "none" || change === "first") return;
	if (change !== "promoted" && !acceptServer)
		throw new StartError(
			`the database is on the server ${server.current}, which does not continue ${server.accepted}: compare its data, then add --accept-server`,
			{ kind: "refused" },
		);
	await db.stores.databaseServer.accept(server);
}

/** Descriptions and statements, in an order in which rows are deleted before those they refer to. */
function* statements(sinceMs: number | undefined, nowMs: number): Iterable<readonly [string, string]> {
	const sessions =
		sinceMs === undefined ? "" : ` WHERE last_used_at >= ${sinceMs - ACCESS_TOKEN_SECONDS * SECOND_MS}`;
	yield ["sessions ended", `DELETE FROM sessions${sessions}`];
	for (const [table, { rows, description = "", repairs = [], afterFailover = [] }] of Object.entries(
		RESTORE_POLICY,
	)) {
		const isKept = CLAIMS.includes(table) || (sinceMs !== undefined && OF_SESSIONS.includes(table));
		if (rows === "emptied" && !isKept && table !== "sessions") yield [description, `DELETE FROM ${table}`];
		for (const repair of isKept ? afterFailover : repairs) yield [repair.description, repair.sql(nowMs)];
	}
}
