// The floor of nonces on every engine: a timestamp at or below it is refused. A restore raises it, and the purge of an
// embedded database.

import type { Queries } from "../sql/queries.ts";

/** SQL for the floor in seconds, 0 at first. */
export const NONCE_FLOOR =
	"COALESCE((SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'nonce_floor_seconds'), 0)";
const FLOOR = "SELECT value FROM meta WHERE key = 'nonce_floor_seconds'";
const RAISE = `INSERT INTO meta (key, value) VALUES ('nonce_floor_seconds', $1)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE CAST(meta.value AS BIGINT) < CAST(excluded.value AS BIGINT)`;

/** 0 until it is raised. */
export async function nonceFloor(queries: Queries): Promise<number> {
	const row = await queries.one<{ value: string }>(FLOOR);
	return row === undefined ? 0 : Number(row.value);
}

/** Never lowers the floor. @returns the floor: every claim at or below it is refused. */
export async function raiseNonceFloor(queries: Queries, floorSeconds: number): Promise<number> {
	await queries.run(RAISE, String(floorSeconds));
	return nonceFloor(queries);
}
