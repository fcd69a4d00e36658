// The ring of nonces on PostgreSQL: six tables by the hour of the signed timestamp, each emptied before it gets another hour.

import { SIGNATURE_WINDOW_SECONDS } from "../../domain/nonce.ts";
import { type Queries, type Statement, statement } from "../sql/queries.ts";
import { CLAIMS_CLOSED_UNTIL, isAcceptedServer } from "./database-server-store.ts";
import { NONCE_FLOOR } from "./nonce-floor.ts";

const TABLES = 6;
const HOUR_SECONDS = 3_600;
/** Two timestamps that are valid at the same time are at most this far apart. */
const NEAR_SECONDS = 2 * SIGNATURE_WINDOW_SECONDS;
/**
 * Hours that are open ahead of the current one: claims reach from two hours before it to two after it, and the table of the third
 * is the only one that none of them touches.
 */
const HOURS_AHEAD = 3;

/** The hours, counted from the epoch, into whose tables a nonce is written: two near the end of one. */
export interface Hours {
	readonly first: number;
	readonly last: number;
}

/** How a claim was decided. */
export interface Decision {
	readonly floor: number;
	readonly ceiling: number;
	readonly closedUntil: number;
	/** 1 on the accepted server. */
	readonly accepted: number;
	/** The digests that were claimed for the first time, as UUIDs joined by commas; null for none. */
	readonly claimed: string | null;
}

export function hoursOf(signedAtSeconds: number): Hours {
	const hour = hourOf(signedAtSeconds);
	const into = signedAtSeconds - hour * HOUR_SECONDS;
	return {
		first: into < NEAR_SECONDS ? hour - 1 : hour,
		last: into >= HOUR_SECONDS - NEAR_SECONDS ? hour + 1 : hour,
	};
}

/** The last second of an hour. */
export function endOf(hour: number): number {
	return (hour + 1) * HOUR_SECONDS - 1;
}

function hourOf(seconds: number): number {
	return Math.floor(seconds / HOUR_SECONDS);
}

/** The tables of the first and the last hour. */
export function tablesOf({ first, last }: Hours): readonly string[] {
	return [tableOf(first), tableOf(last)];
}

function tableOf(hour: number): string {
	return `nonces_${((hour % TABLES) + TABLES) % TABLES}`;
}

/**
 * `LIMIT` keeps this a look-up by the index for each digest: a join planned while the table was empty would
 * read all of it.
 */
function isUnused(hour: number): string {
	return `(SELECT 1 FROM ${tableOf(hour)} AS used WHERE used.digest = c.digest LIMIT 1) IS NULL`;
}

/** What decides, besides the tables. In the statement itself, because a pooler can change the server between two. */
function stateOf(identity: string | undefined, followed: string): string {
	return `SELECT GREATEST(floor, ${NONCE_FLOOR}) AS floor, ceiling, ${CLAIMS_CLOSED_UNTIL} AS closed,
		CASE WHEN ${isAcceptedServer(identity, followed)} THEN 1 ELSE 0 END AS accepted FROM nonce_ring WHERE id = 1`;
}

/**
 * Claims the digests `$1` with the timestamps `$2`, both arrays in the order of the digests, on the server followed to (`$3`), while
 * the hours up to the second `$4` are open. One row, a `Decision`.
 *
 * A nonce near the end of an hour is new if it is new in both tables. All nodes lock rows by digest, and of one digest the
 * earlier hour first, because the CTEs run row by row: so two statements cannot wait for each other. The hours before and
 * after were claimed at other times: a look-up suffices.
 *
 * The arrays are in sub-selects so that their lengths do not change the plan: otherwise each group would be planned again.
 */
export function claimStatement({ first, last }: Hours, identity: string | undefined): Statement {
	const early = `early AS (INSERT INTO ${tableOf(first)} (digest)
		SELECT c.digest FROM state, unnest((SELECT CAST($1 AS UUID[])), (SELECT CAST($2 AS BIGINT[]))) AS c (digest, signed_at)
		WHERE state.accepted = 1 AND state.ceiling >= CAST($4 AS BIGINT)
			AND c.signed_at > state.floor AND c.signed_at > state.closed
			AND ${isUnused(first - 1)} AND ${isUnused(last + 1)}
		ON CONFLICT DO NOTHING RETURNING digest)`;
	const late = `late AS (INSERT INTO ${tableOf(last)} (digest) SELECT digest FROM early ON CONFLICT DO NOTHING RETURNING digest)`;
	const [inserts, decided] = first === last ? [early, "early"] : [`${early}, ${late}`, "late"];
	return statement(
		`WITH state AS MATERIALIZED (${stateOf(identity, "$3")}), ${inserts}
		SELECT floor, ceiling, closed AS "closedUntil", accepted,
			(SELECT string_agg(CAST(digest AS TEXT), ',') FROM ${decided}) AS claimed FROM state`,
		{ isWrite: true },
	);
}

/** The `Decision` on the digest `$1` without a claim: `claimed` is the digest if it is in none of the tables. */
export function lookUpStatement({ first, last }: Hours, identity: string | undefined): string {
	const hours = Array.from({ length: last - first + 3 }, (_, index) => first - 1 + index);
	return `WITH state AS MATERIALIZED (${stateOf(identity, "$2")})
		SELECT floor, ceiling, closed AS "closedUntil", accepted,
			CASE WHEN ${hours.map(isUnused).join(" AND ")} THEN CAST(digest AS TEXT) END AS claimed
		FROM state, (SELECT CAST($1 AS UUID) AS digest) AS c`;
}

/** For a claim: opens the hours up to `last`, inside a transaction. */
export function openHours(queries: Queries, last: number): Promise<void> {
	return open(queries, last, false);
}

/** For copied nonces, of which the newest was signed at this time: those too old for the ring are refused. */
export function openHoursOf(queries: Queries, newestSeconds: number): Promise<void> {
	return open(queries, hoursOf(newestSeconds).last, false);
}

/**
 * For the purge: opens the hours up to three after the current one, inside a transaction. That refuses and removes nonces signed
 * more than an hour before `beforeSeconds`.
 */
export function openNextHours(queries: Queries, beforeSeconds: number): Promise<void> {
	return open(queries, hourOf(beforeSeconds) + HOURS_AHEAD + 1, true);
}

/**
 * The floor rises in the transaction that empties a table, so a claim that waited for the table reads the new floor.
 *
 * A table in use, such as by a dump, may wait for the next run. It is emptied only to save space, because the floor refuses its
 * nonces: once the hour after it is due, or a claim needs it, it opens with its old nonces.
 *
 * The clock of the server limits the hours, so that a node whose clock is days ahead does not raise the floor by days.
 */
async function open(queries: Queries, last: number, mayWait: boolean): Promise<void> {
	const ring = await queries.one<{ ceiling: number; now: number }>(
		`SELECT ceiling, CAST(EXTRACT(EPOCH FROM statement_timestamp()) AS BIGINT) AS now
		FROM nonce_ring WHERE id = 1 FOR UPDATE`,
	);
	if (ring === undefined) throw new Error("the table nonce_ring is empty");
	const wanted = Math.min(last, hourOf(ring.now) + HOURS_AHEAD);
	const newest = hourOf(ring.ceiling);
	let opened = newest;
	for (let hour = Math.max(newest + 1, wanted - TABLES + 1); hour <= wanted; hour++) {
		if (!(await empty(queries, tableOf(hour))) && mayWait && hour === wanted) break;
		opened = hour;
	}
	if (opened > newest)
		await queries.run(
			"UPDATE nonce_ring SET floor = GREATEST(floor, $1), ceiling = $2 WHERE id = 1",
			endOf(opened - TABLES),
			endOf(opened),
		);
}

/** Never waits: neither a claim nor a vacuum is held up. @returns whether the table is empty. */
async function empty(queries: Queries, table: string): Promise<boolean> {
	await queries.run(`DO $empty$ BEGIN LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE NOWAIT; TRUNCATE ${table};
		EXCEPTION WHEN lock_not_available THEN NULL; END $empty$`);
	return (await queries.one(`SELECT 1 AS found FROM ${table} LIMIT 1`)) === undefined;
}

/** Writes claimed digests, inside a transaction. */
export async function insertClaimed(
	queries: Queries,
	claimed: Iterable<{ readonly digest: string; readonly signedAtSeconds: number }>,
): Promise<void> {
	const byTable = new Map<string, string[]>();
	for (const { digest, signedAtSeconds } of claimed) {
		for (const table of new Set(tablesOf(hoursOf(signedAtSeconds)))) {
			const digests = byTable.get(table);
			if (digests === undefined) byTable.set(table, [digest]);
			else digests.push(digest);
		}
	}
	for (const [table, digests] of byTable)
		await queries.run(
			`INSERT INTO ${table} (digest) SELECT unnest(CAST($1 AS UUID[])) ON CONFLICT DO NOTHING`,
			arrayOf(digests),
		);
}

/** The text of an array of numbers or UUIDs. */
export function arrayOf(values: readonly (string | number)[]): string {
	return `{${values.join(",")}}`;
}
