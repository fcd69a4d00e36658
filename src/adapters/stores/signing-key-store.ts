// The keys that sign access tokens and those that sign ID tokens alone, in SQL.

import type { IdTokenKeyStore } from "../../domain/id-token-key.ts";
import type { SigningKeyStore } from "../../domain/signing-key.ts";
import type { Queries } from "../sql/engine.ts";
import { idTokenKeys, signingKeys } from "../sql/tables/platform-tables.ts";

const NEWEST_FIRST = "1 = 1 ORDER BY created_at DESC, kid DESC";

/** The keys belong to the installation, not to a tenant. */
export function createSigningKeyStore(queries: Queries): SigningKeyStore {
	return {
		insert: (key) => signingKeys.insert(queries, key),
		listAll: () => signingKeys.all(queries, NEWEST_FIRST),
		...endings(queries, signingKeys),
	};
}

export function createIdTokenKeyStore(queries: Queries): IdTokenKeyStore {
	return {
		insert: (key) => idTokenKeys.insertUnlessTaken(queries, key),
		listAll: () => idTokenKeys.all(queries, NEWEST_FIRST),
		...endings(queries, idTokenKeys),
	};
}

interface KeyTable {
	updateOne(
		queries: Queries,
		changes: { withdrawnAtMs: number },
		where: { kid: string; withdrawnAtMs: null },
	): Promise<boolean>;
	deleteOne(queries: Queries, where: { kid: string }): Promise<boolean>;
}

function endings(queries: Queries, table: KeyTable): Pick<SigningKeyStore, "withdraw" | "remove"> {
	return {
		withdraw: (kid, nowMs) =>
			table.updateOne(queries, { withdrawnAtMs: nowMs }, { kid, withdrawnAtMs: null }),
		remove: (kid) => table.deleteOne(queries, { kid }),
	};
}
