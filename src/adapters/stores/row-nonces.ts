// Nonces on an engine with several writing nodes: one row each, decided by an index. Also the floor of all engines, at or
// below which timestamps are refused.

import type { FollowedServer } from "../../domain/database-server.ts";
import type { NonceStore } from "../../domain/nonce.ts";
import { AppError } from "../../kernel/error.ts";
import type { Queries } from "../sql/queries.ts";
import { mayClaim, readFence } from "./database-server-store.ts";

const FLOOR = "SELECT value FROM meta WHERE key = 'nonce_floor_seconds'";
const ABOVE_FLOOR =
	"CAST($3 AS BIGINT) > COALESCE((SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'nonce_floor_seconds'), 0)";
const RAISE_FLOOR = `INSERT INTO meta (key, value) VALUES ('nonce_floor_seconds', $1)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE CAST(meta.value AS BIGINT) < CAST(excluded.value AS BIGINT)`;
/** The clock of the server is the same for every node. */
const PURGE_STATE = `SELECT
	(SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'nonce_floor_seconds') AS floor,
	(SELECT value FROM meta WHERE key = 'nonce_floor_observed') AS observed,
	CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS "nowMs"`;
const OBSERVE_FLOOR = `INSERT INTO meta (key, value) VALUES ('nonce_floor_observed', $1)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const NEWEST_BEFORE = "SELECT max(signed_at) AS newest FROM nonces WHERE signed_at < $1";
const DELETE_OLDEST = `DELETE FROM nonces WHERE signed_at <=
	(SELECT max(signed_at) FROM (SELECT signed_at FROM nonces WHERE signed_at <= $1 ORDER BY signed_at LIMIT $2) AS oldest)`;
/** Far longer than a statement, which the server cancels after 5 s: a claim that began below an older floor has ended. */
const SETTLED_MS = 60_000;

interface PurgeState {
	readonly floor: number | null;
	/** A committed floor and the time since when it is known to be committed, in milliseconds. */
	readonly observed: string | null;
	readonly nowMs: number;
}

/**
 * @param serverIdentity of the engine: a server other than the accepted one may not know which nonces were claimed.
 * `claim` and `isFree` throw `service.unavailable` then.
 */
export function rowNonces(
	queries: Queries,
	serverIdentity?: string,
	followed: FollowedServer = { identity: "" },
): NonceStore {
	const condition = `${ABOVE_FLOOR} AND ${mayClaim(serverIdentity, "CAST($3 AS BIGINT)", "$4")}`;
	/**
	 * In one statement, the primary key refuses a second claim and the floor refuses a timestamp whose nonces were purged.
	 * The server is compared in the same statement, because a pooler can change it between two.
	 */
	const claim = `INSERT INTO nonces (client_id, nonce, signed_at)
		SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT) WHERE ${condition} ON CONFLICT DO NOTHING`;
	const isFree = `SELECT 1 AS free WHERE ${condition}
		AND NOT EXISTS (SELECT 1 FROM nonces WHERE client_id = CAST($1 AS TEXT) AND nonce = CAST($2 AS TEXT))`;
	const requireOpen = async (signedAtSeconds: number): Promise<void> => {
		const { isAccepted, closedUntilSeconds } = await readFence(queries, serverIdentity, followed);
		if (!isAccepted) throw closed("the database server changed", 1);
		if (signedAtSeconds <= closedUntilSeconds)
			throw closed("the database failed over", closedUntilSeconds - signedAtSeconds + 1);
	};
	return {
		// The database decides each claim.
		load: () => Promise.resolve(),
		async claim(clientId, nonce, signedAtSeconds) {
			if ((await queries.run(claim, clientId, nonce, signedAtSeconds, followed.identity)) === 1) return true;
			await requireOpen(signedAtSeconds);
			return false;
		},
		async isFree(clientId, nonce, signedAtSeconds) {
			if ((await queries.one(isFree, clientId, nonce, signedAtSeconds, followed.identity)) !== undefined)
				return true;
			await requireOpen(signedAtSeconds);
			return false;
		},
		purge: (beforeSeconds, limit) => purgeRows(queries, beforeSeconds, limit),
	};
}

function closed(cause: string, retryAfterSeconds: number): AppError {
	return new AppError(
		"service.unavailable",
		`${cause}: sign the request again after the time in Retry-After`,
		{
			retryAfterSeconds,
		},
	);
}

/**
 * Takes no lock, so it neither stops claims nor cancels a vacuum. A concurrent claim may have read an older floor: if its nonce were
 * deleted, it could be claimed twice. So one run raises the floor, a later one observes that it is committed, and only a minute after
 * that are the nonces below it deleted.
 */
async function purgeRows(queries: Queries, beforeSeconds: number, limit: number): Promise<number> {
	const state = await queries.one<PurgeState>(PURGE_STATE);
	const [observed = 0, sinceMs = 0] = (state?.observed ?? "0 0").split(" ").map(Number);
	const { floor = null, nowMs = 0 } = state ?? {};
	let deleted = 0;
	if (nowMs >= sinceMs + SETTLED_MS) {
		deleted = await queries.run(DELETE_OLDEST, observed, limit);
		if (deleted >= limit) return deleted;
		if (floor !== null && floor > observed) await queries.run(OBSERVE_FLOOR, `${floor} ${nowMs}`);
	}
	const oldest = await queries.one<{ newest: number | null }>(NEWEST_BEFORE, beforeSeconds);
	const newest = oldest?.newest ?? null;
	if (newest !== null) await queries.run(RAISE_FLOOR, String(newest));
	return deleted;
}

/** 0 until a purge raises it. */
export async function nonceFloor(queries: Queries): Promise<number> {
	const row = await queries.one<{ value: string }>(FLOOR);
	return row === undefined ? 0 : Number(row.value);
}

/** Never lowers the floor. @returns the floor: every claim at or below it is refused. */
export async function raiseNonceFloor(queries: Queries, floorSeconds: number): Promise<number> {
	await queries.run(RAISE_FLOOR, String(floorSeconds));
	return nonceFloor(queries);
}
