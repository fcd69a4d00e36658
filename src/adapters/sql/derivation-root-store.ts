// The sealed root of derived keys, in SQL: one row for the installation, no tenant's.

import type { DerivationRootStore } from "../../features/auth/model.ts";
import type { Queries } from "./engine.ts";

export function createDerivationRootStore(queries: Queries): DerivationRootStore {
	return {
		async find(id) {
			const row = await queries.one<{ root_sealed: string }>(
				"SELECT root_sealed FROM derivation_roots WHERE id = $1",
				id,
			);
			return row?.root_sealed;
		},
		async insertOnce(id, rootSealed, nowMs) {
			await queries.run(
				"INSERT INTO derivation_roots (id, root_sealed, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
				id,
				rootSealed,
				nowMs,
			);
		},
	};
}
