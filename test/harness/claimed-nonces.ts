// What a database holds of claimed nonces: a row each, or batches.

import { unpackBatch } from "../../src/adapters/stores/batched-nonces.ts";
import { rows } from "./access-requests.ts";
import type { TestService } from "./service.ts";

/** Runs a statement that selects one column. */
type SelectTexts = (sql: string) => readonly string[] | Promise<readonly string[]>;

/** Each as often as it is there. */
export async function storedNonceTexts(select: SelectTexts): Promise<string[]> {
	const batches = await select("SELECT claims AS value FROM nonce_batches");
	return [
		...(await select("SELECT nonce AS value FROM nonces")),
		...batches.flatMap((claims) => unpackBatch(claims).map(({ nonce }) => nonce)),
	];
}

/** Read beside the running service. */
export function noncesOf(service: TestService): Promise<string[]> {
	return storedNonceTexts(async (sql) =>
		(await rows<{ value: string }>(service, sql)).map(({ value }) => value),
	);
}
