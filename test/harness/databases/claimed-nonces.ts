// Reads claimed nonces from a database, where they are stored by digest or in batches.

import { unpackBatch } from "../../../src/adapters/stores/batched-nonces.ts";
import { nonceDigest } from "../../../src/adapters/stores/grouped-nonces.ts";
import { sha256Hex } from "../../../src/crypto/digest.ts";
import { rows } from "../access/access-requests.ts";
import type { TestService } from "../service/service.ts";

/** Runs a statement that selects one column. */
type SelectTexts = (sql: string) => readonly string[] | Promise<readonly string[]>;

/** How `storedNonces` lists a nonce. */
export function storedAs(clientId: string, nonce: string): string {
	return nonceDigest(sha256Hex, clientId, nonce);
}

export async function storedNonces(select: SelectTexts): Promise<Set<string>> {
	const tables = [0, 1, 2, 3, 4, 5].map((hour) => `SELECT CAST(digest AS TEXT) AS value FROM nonces_${hour}`);
	const batches = await select("SELECT claims AS value FROM nonce_batches");
	return new Set([
		...(await select(tables.join(" UNION ALL "))),
		...batches.flatMap((claims) =>
			unpackBatch(claims).map(({ clientId, nonce }) => storedAs(clientId, nonce)),
		),
	]);
}

/** Reads the nonces of a running service. */
export function noncesOf(service: TestService): Promise<Set<string>> {
	return storedNonces(async (sql) => (await rows<{ value: string }>(service, sql)).map(({ value }) => value));
}
