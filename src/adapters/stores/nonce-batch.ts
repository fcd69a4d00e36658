// The row of a commit: the nonces it claimed, packed; and how such rows are read again.

import type { Queries } from "../sql/engine.ts";
import { statement } from "../sql/queries.ts";

export interface SignedNonce {
	readonly clientId: string;
	readonly nonce: string;
	readonly signedAtSeconds: number;
}

/** Client, time, and what it claimed at that time. */
type Group = [clientId: string, signedAtSeconds: number, ...nonces: string[]];

/** Ids of one second; so ids are in the order of time, and what is old is a range of them. */
const IDS_A_SECOND = 2 ** 20;
const INSERT = statement(
	`INSERT INTO nonce_batches (id, claims)
	SELECT COALESCE(max(id) + 1, CAST($1 AS BIGINT)), CAST($3 AS TEXT) FROM nonce_batches WHERE id >= $1 AND id < $2`,
	{ leavesCache: true },
);
const OLDEST = "SELECT id FROM nonce_batches WHERE id < $1 ORDER BY id LIMIT $2";

/** @param claims at least one. */
export async function insertBatch(queries: Queries, claims: readonly SignedNonce[]): Promise<void> {
	const newest = claims.reduce((latest, { signedAtSeconds }) => Math.max(latest, signedAtSeconds), 0);
	await queries.run(INSERT, firstId(newest), firstId(newest + 1), pack(claims));
}

/** The id below which all batches are older than `seconds` in every nonce. */
function firstId(seconds: number): number {
	return seconds * IDS_A_SECOND;
}

function pack(claims: readonly SignedNonce[]): string {
	const groups: Group[] = [];
	let last: Group | undefined;
	for (const { clientId, nonce, signedAtSeconds } of claims) {
		if (last !== undefined && last[0] === clientId && last[1] === signedAtSeconds) {
			last.push(nonce);
			continue;
		}
		last = [clientId, signedAtSeconds, nonce];
		groups.push(last);
	}
	return JSON.stringify(groups);
}

export function unpackBatch(claims: string): SignedNonce[] {
	const unpacked: SignedNonce[] = [];
	// Plain loops: a start unpacks millions.
	for (const group of JSON.parse(claims) as Group[]) {
		const [clientId, signedAtSeconds] = group;
		for (let at = 2; at < group.length; at++)
			unpacked.push({ clientId, nonce: group[at] as string, signedAtSeconds });
	}
	return unpacked;
}

/** The greatest timestamp in the oldest `limit` batches that are older than `beforeSeconds`; null without any. */
export async function newestOfOldBatches(
	queries: Queries,
	beforeSeconds: number,
	limit: number,
): Promise<number | null> {
	const row = await queries.one<{ id: number | null }>(
		`SELECT max(id) AS id FROM (${OLDEST}) AS oldest`,
		firstId(beforeSeconds),
		limit,
	);
	const id = row?.id ?? null;
	return id === null ? null : Math.floor(id / IDS_A_SECOND);
}

/** @returns how many. */
export function deleteBatches(queries: Queries, untilSeconds: number): Promise<number> {
	return queries.run("DELETE FROM nonce_batches WHERE id < $1", firstId(untilSeconds + 1));
}
