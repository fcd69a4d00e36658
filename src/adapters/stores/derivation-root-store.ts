// The sealed root of derived keys, in SQL: one row for the installation, without a tenant.

import type { DerivationRootStore } from "../../domain/derivation-root.ts";
import type { Queries } from "../sql/engine.ts";
import { derivationRoots } from "../sql/tables/platform-tables.ts";

export function createDerivationRootStore(queries: Queries): DerivationRootStore {
	return {
		find: async (id) => (await derivationRoots.find(queries, { id }))?.rootSealed,
		async insertOnce(id, rootSealed, nowMs) {
			await derivationRoots.insertUnlessTaken(queries, { id, rootSealed, createdAtMs: nowMs });
		},
	};
}
