// Voids, in a database that may lack its last commits, what a restore would void: what was used, revoked, or ended may be
// usable again.

import { RESTORE_POLICY, restoredNonceFloor } from "../adapters/copy/restore-policy.ts";
import { raiseNonceFloor } from "../adapters/stores/nonce-floor.ts";
import type { Caller } from "../domain/caller.ts";
import { SIGNATURE_WINDOW_SECONDS } from "../domain/nonce.ts";
import { ACCESS_TOKEN_SECONDS } from "../domain/session.ts";
import { isoTime, SECOND_MS } from "../kernel/clock.ts";
import type { Installation } from "./open-installation.ts";

/** Claims stay: they are what the fence protects. */
const CLAIMS = ["nonce_batches"];
/** With a start time, they end with their session. */
const OF_SESSIONS = ["sessions", "oauth_grants", "oauth_records"];

interface VoidOptions {
	/** Only sessions used after this time end; undefined: all. */
	readonly sinceMs: number | undefined;
	readonly nowMs: number;
	readonly callerOf: (tenantId: string) => Caller;
}

export interface VoidReport {
	/** Signed requests with a timestamp up to this time are refused. */
	readonly closedUntilMs: number;
	/** Descriptions of voided rows with their counts; counts of 0 are omitted. */
	readonly voided: readonly (readonly [string, number])[];
}

/** One transaction, then an audit event `installation.fenced` for each tenant. */
export async function voidForgotten(
	{ db, engine }: Pick<Installation, "db" | "engine">,
	{ sinceMs, nowMs, callerOf }: VoidOptions,
): Promise<VoidReport> {
	const floor = restoredNonceFloor({ nowMs, backupAtMs: 0 }, SIGNATURE_WINDOW_SECONDS);
	// First: voiding may take long, and may fail.
	if (!engine.soleWriter) await db.stores.databaseServer.closeUntil(floor);
	const voided = await engine.transaction(async (queries) => {
		if (engine.soleWriter) await raiseNonceFloor(queries, floor);
		const counts: (readonly [string, number])[] = [];
		for (const [description, sql] of statements(sinceMs, nowMs))
			counts.push([description, await engine.whole.run(queries, sql)]);
		return counts;
	});
	const details = {
		since: sinceMs === undefined ? "" : isoTime(sinceMs),
		signed_calls_refused_until: isoTime(floor * SECOND_MS),
	};
	for (const { id } of await db.stores.tenants.listAll())
		await db.transaction(({ audit }) => audit.append(callerOf(id), "installation.fenced", "", details));
	return {
		closedUntilMs: floor * SECOND_MS,
		voided: voided.filter(([description, count]) => description !== "" && count > 0),
	};
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
