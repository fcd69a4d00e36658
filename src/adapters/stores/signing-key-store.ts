// The keys of the installation in SQL: those that sign access tokens, those that sign only ID tokens, and the root of
// derived keys.

import type { DerivationRootStore } from "../../domain/keyed-digests.ts";
import type { IdTokenKeyStore, SigningKeyStore } from "../../domain/signing-key.ts";
import type { Queries } from "../sql/queries.ts";
import { derivationRoots, idTokenKeys, signingKeys } from "../sql/tables/platform-tables.ts";

const NEWEST_FIRST = "1 = 1 ORDER BY created_at DESC, kid DESC";

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

function endings(
	queries: Queries,
	table:
		| Pick<typeof signingKeys, "updateOne" | "deleteOne">
		| Pick<typeof idTokenKeys, "updateOne" | "deleteOne">,
): Pick<SigningKeyStore, "withdraw" | "remove"> {
	return {
		withdraw: (kid, nowMs) =>
			table.updateOne(queries, { withdrawnAtMs: nowMs }, { kid, withdrawnAtMs: null }),
		remove: (kid) => table.deleteOne(queries, { kid }),
	};
}

export function createDerivationRootStore(queries: Queries): DerivationRootStore {
	return {
		find: async (id) => (await derivationRoots.find(queries, { id }))?.rootSealed,
		async insertOnce(id, rootSealed, nowMs) {
			await derivationRoots.insertUnlessTaken(queries, { id, rootSealed, createdAtMs: nowMs });
		},
	};
}
