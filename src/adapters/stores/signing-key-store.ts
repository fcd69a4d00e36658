// The keys that sign access tokens, in SQL.

import type { SigningKeyStore } from "../../domain/signing-key.ts";
import type { Queries } from "../sql/engine.ts";
import { signingKeys } from "../sql/tables/platform-tables.ts";

/** The keys belong to the installation, not to a tenant. */
export function createSigningKeyStore(queries: Queries): SigningKeyStore {
	return {
		insert: (key) => signingKeys.insert(queries, key),
		listAll: () => signingKeys.all(queries, "1 = 1 ORDER BY created_at DESC, kid DESC"),
		withdraw: (kid, nowMs) =>
			signingKeys.updateOne(queries, { withdrawnAtMs: nowMs }, { kid, withdrawnAtMs: null }),
		remove: (kid) => signingKeys.deleteOne(queries, { kid }),
	};
}
