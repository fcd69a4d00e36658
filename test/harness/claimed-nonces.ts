// Reads claimed nonces from a database, where they are stored as single rows or in batches.

import type { Queries } from "../../src/adapters/sql/queries.ts";
import { unpackBatch } from "../../src/adapters/stores/batched-nonces.ts";
import { rows } from "./access-requests.ts";
import type { TestService } from "./service.ts";

/** Runs a statement that selects one column. */
type SelectTexts = (sql: string) => readonly string[] | Promise<readonly string[]>;

/** Lets a purge delete what it waits to delete, as if a minute had passed. Does nothing on an engine with one writer. */
export async function letFloorSettle(queries: Queries): Promise<void> {
	const key = "nonce_floor_observed";
	const row = await queries.one<{ value: string }>("SELECT value FROM meta WHERE key = $1", key);
	const [floor] = row?.value.split(" ") ?? [];
	await queries.run("UPDATE meta SET value = $1 WHERE key = $2", `${floor} 0`, key);
}

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
