// All nonces of a database as a whole: to know them at the start, and to move them to an engine with a row a nonce.

import type { Row } from "../../domain/backup.ts";
import type { Queries } from "../sql/engine.ts";
import type { WholeDatabase } from "../sql/whole-database.ts";
import { type SignedNonce, unpackBatch } from "./nonce-batch.ts";
import { nonceFloor } from "./nonce-store.ts";

const BATCHES = { name: "nonce_batches", columns: ["id", "claims"], key: ["id"] };
/** In an embedded database what an older version claimed. */
const ROWS = { name: "nonces", columns: ["client_id", "nonce", "signed_at"], key: ["client_id", "nonce"] };

const ROWS_A_STATEMENT = 1_000;

/** A list a batch, or a thousand rows. */
export async function* storedNonces(
	whole: WholeDatabase,
	view: Queries,
): AsyncGenerator<readonly SignedNonce[]> {
	yield* batchedNonces(whole, view);
	for await (const rows of whole.rows(view, ROWS))
		yield rows.map(([clientId, nonce, signedAt]) => ({
			clientId: String(clientId),
			nonce: String(nonce),
			signedAtSeconds: Number(signedAt),
		}));
}

async function* batchedNonces(whole: WholeDatabase, view: Queries): AsyncGenerator<SignedNonce[]> {
	for await (const batches of whole.rows(view, BATCHES))
		for (const [, claims] of batches) yield unpackBatch(String(claims));
}

/** Inside a transaction: makes a row of each batched nonce, for an engine that decides by rows. */
export async function unpackNonceBatches(whole: WholeDatabase, queries: Queries): Promise<void> {
	const floor = await nonceFloor(queries);
	let rows: Row[] = [];
	for await (const nonces of batchedNonces(whole, queries)) {
		// Of two with the same nonce one is below the floor.
		const live = nonces.filter(({ signedAtSeconds }) => signedAtSeconds > floor);
		for (const { clientId, nonce, signedAtSeconds } of live) rows.push([clientId, nonce, signedAtSeconds]);
		if (rows.length < ROWS_A_STATEMENT) continue;
		await whole.insert(queries, ROWS, rows);
		rows = [];
	}
	await whole.insert(queries, ROWS, rows);
	await whole.run(queries, "DELETE FROM nonce_batches");
}
