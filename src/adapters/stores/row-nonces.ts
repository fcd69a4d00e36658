// Nonces on an engine with several writing nodes: one row each, decided by an index. Also the floor of all engines, at or
// below which timestamps are refused.

import type { NonceStore } from "../../domain/nonce.ts";
import { AppError } from "../../kernel/error.ts";
import type { Queries } from "../sql/queries.ts";
import { mayClaim, readFence } from "./database-server-store.ts";

const FLOOR = "SELECT value FROM meta WHERE key = 'nonce_floor_seconds'";
const ABOVE_FLOOR =
	"CAST($3 AS BIGINT) > COALESCE((SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'nonce_floor_seconds'), 0)";
const RAISE_FLOOR = `INSERT INTO meta (key, value) VALUES ('nonce_floor_seconds', $1)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE CAST(meta.value AS BIGINT) < CAST(excluded.value AS BIGINT)`;
const OLDEST = `SELECT max(signed_at) AS newest
	FROM (SELECT signed_at FROM nonces WHERE signed_at < $1 ORDER BY signed_at LIMIT $2) AS oldest`;

/**
 * @param serverIdentity of the engine: a server other than the accepted one may not know which nonces were claimed.
 * `claim` and `isFree` throw `service.unavailable` then.
 */
export function rowNonces(queries: Queries, serverIdentity?: string): NonceStore {
	const condition = `${ABOVE_FLOOR} AND ${mayClaim(serverIdentity, "CAST($3 AS BIGINT)")}`;
	/**
	 * In one statement, the primary key refuses a second claim and the floor refuses a timestamp whose nonces were purged.
	 * The server is compared in the same statement, because a pooler can change it between two.
	 */
	const claim = `INSERT INTO nonces (client_id, nonce, signed_at)
		SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT) WHERE ${condition} ON CONFLICT DO NOTHING`;
	const isFree = `SELECT 1 AS free WHERE ${condition}
		AND NOT EXISTS (SELECT 1 FROM nonces WHERE client_id = CAST($1 AS TEXT) AND nonce = CAST($2 AS TEXT))`;
	const requireOpen = async (signedAtSeconds: number): Promise<void> => {
		const { isAccepted, closedUntilSeconds } = await readFence(queries, serverIdentity);
		if (!isAccepted) throw closed("the database server changed", 1);
		if (signedAtSeconds <= closedUntilSeconds)
			throw closed("the database failed over", closedUntilSeconds - signedAtSeconds + 1);
	};
	return {
		// The database decides each claim.
		load: () => Promise.resolve(),
		async claim(clientId, nonce, signedAtSeconds) {
			if ((await queries.run(claim, clientId, nonce, signedAtSeconds)) === 1) return true;
			await requireOpen(signedAtSeconds);
			return false;
		},
		async isFree(clientId, nonce, signedAtSeconds) {
			if ((await queries.one(isFree, clientId, nonce, signedAtSeconds)) !== undefined) return true;
			await requireOpen(signedAtSeconds);
			return false;
		},
		async purge(beforeSeconds, limit) {
			// A concurrent claim has read the old floor: if its nonce were purged, it could be claimed twice.
			await queries.awaitWriters("nonces");
			const oldest = await queries.one<{ newest: number | null }>(OLDEST, beforeSeconds, limit);
			const floor = oldest?.newest ?? null;
			if (floor === null) return 0;
			// Raise the floor in the same transaction, so that no purged nonce is accepted again after a crash.
			await queries.run(RAISE_FLOOR, String(floor));
			return queries.run("DELETE FROM nonces WHERE signed_at <= $1", floor);
		},
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
