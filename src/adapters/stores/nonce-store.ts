// Claimed nonces in SQL, and the floor: timestamps at or below it are refused.

import type { NonceStore } from "../../domain/nonce.ts";
import type { Queries } from "../sql/engine.ts";
import { deleteBatches, newestOfOldBatches } from "./nonce-batch.ts";

const FLOOR = "SELECT value FROM meta WHERE key = 'nonce_floor_seconds'";
const ABOVE_FLOOR =
	"CAST($3 AS BIGINT) > COALESCE((SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'nonce_floor_seconds'), 0)";
/** One statement: the primary key refuses a second claim, the floor a timestamp whose nonces were purged. */
const CLAIM = `INSERT INTO nonces (client_id, nonce, signed_at)
	SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT)
	WHERE ${ABOVE_FLOOR}
	ON CONFLICT DO NOTHING`;
const IS_FREE = `SELECT 1 AS free WHERE ${ABOVE_FLOOR}
	AND NOT EXISTS (SELECT 1 FROM nonces WHERE client_id = CAST($1 AS TEXT) AND nonce = CAST($2 AS TEXT))`;

const RAISE_FLOOR = `INSERT INTO meta (key, value) VALUES ('nonce_floor_seconds', $1)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE CAST(meta.value AS BIGINT) < CAST(excluded.value AS BIGINT)`;
const OLDEST = "SELECT signed_at FROM nonces WHERE signed_at < $1 ORDER BY signed_at LIMIT $2";

export function createNonceStore(queries: Queries): NonceStore {
	return {
		// The database decides each claim.
		load: () => Promise.resolve(),
		async claim(clientId, nonce, signedAtSeconds) {
			return (await queries.run(CLAIM, clientId, nonce, signedAtSeconds)) === 1;
		},
		async isFree(clientId, nonce, signedAtSeconds) {
			return (await queries.one(IS_FREE, clientId, nonce, signedAtSeconds)) !== undefined;
		},
		async purge(beforeSeconds, limit) {
			const rows = await purgeRows(queries, beforeSeconds, limit);
			return rows + (await purgeBatches(queries, beforeSeconds, limit));
		},
	};
}

async function purgeRows(queries: Queries, beforeSeconds: number, limit: number): Promise<number> {
	// A concurrent claim has read the old floor: if its nonce were purged, it could be claimed twice.
	await queries.awaitWriters("nonces");
	const oldest = await queries.one<{ newest: number | null }>(
		`SELECT max(signed_at) AS newest FROM (${OLDEST}) AS oldest`,
		beforeSeconds,
		limit,
	);
	const floor = oldest?.newest ?? null;
	if (floor === null) return 0;
	// Raise the floor in the same transaction, so that no purged nonce is accepted again after a crash.
	await queries.run(RAISE_FLOOR, String(floor));
	return queries.run("DELETE FROM nonces WHERE signed_at <= $1", floor);
}

/** As `purgeRows`, for the embedded database: a batch goes when all of it is old. */
async function purgeBatches(queries: Queries, beforeSeconds: number, limit: number): Promise<number> {
	const floor = await newestOfOldBatches(queries, beforeSeconds, limit);
	if (floor === null) return 0;
	await queries.run(RAISE_FLOOR, String(floor));
	return deleteBatches(queries, floor);
}

/** 0 before anything was purged. */
export async function nonceFloor(queries: Queries): Promise<number> {
	const row = await queries.one<{ value: string }>(FLOOR);
	return row === undefined ? 0 : Number(row.value);
}

/** Never lowers the floor. @returns the floor: every claim at or below it is refused. */
export async function raiseNonceFloor(queries: Queries, floorSeconds: number): Promise<number> {
	await queries.run(RAISE_FLOOR, String(floorSeconds));
	return nonceFloor(queries);
}
