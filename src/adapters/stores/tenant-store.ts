// Tenants in SQL.

import type { TenantStore } from "../../domain/tenant.ts";
import type { Queries } from "../sql/engine.ts";
import { Filter } from "../sql/page.ts";
import { unlessTaken } from "../sql/table.ts";
import { tenants } from "../sql/tables/platform-tables.ts";

export function createTenantStore(queries: Queries): TenantStore {
	return {
		insert: (tenant) => tenants.insertUnlessTaken(queries, { ...tenant, requireMfa: false }),
		findById: (id) => tenants.find(queries, "id = $1", id),
		findBySlug: (slug) => tenants.find(queries, "slug = $1", slug),
		listAll: () => tenants.all(queries, "1 = 1 ORDER BY created_at, id"),
		list: ({ q }, page) =>
			tenants.list(queries, { filter: new Filter().contains(["name", "slug"], q) }, page),
		update(id, changes, nowMs) {
			const update = tenants.updateOne(queries, { ...changes, updatedAtMs: nowMs }, "id = $1", id);
			return unlessTaken(
				update.then((done) => (done ? "updated" : "missing")),
				() => "slug_taken",
			);
		},
	};
}
