// Reads claimed nonces from a database, where they are stored as single rows or in batches.

import { unpackBatch } from "../../src/adapters/stores/batched-nonces.ts";
import { rows } from "./access-requests.ts";
import type { TestService } from "./service.ts";

/** Runs a statement that selects one column. */
type SelectTexts = (sql: string) => readonly string[] | Promise<readonly string[]>;

/** Lists each nonce as often as it is stored. */
export async function storedNonceTexts(select: SelectTexts): Promise<string[]> {
	const batches = await select("SELECT claims AS value FROM nonce_batches");
	return [
		...(await select("SELECT nonce AS value FROM nonces")),
		...batches.flatMap((claims) => unpackBatch(claims).map(({ nonce }) => nonce)),
	];
}

/** Reads the nonces of a running service. */
export function noncesOf(service: TestService): Promise<string[]> {
	return storedNonceTexts(async (sql) =>
		(await rows<{ value: string }>(service, sql)).map(({ value }) => value),
	);
}
