// Tenants in SQL.

import type { TenantStore } from "../../domain/tenant.ts";
import type { Queries } from "../sql/engine.ts";
import { Filter } from "../sql/page.ts";
import { tenants } from "../sql/tables/platform-tables.ts";

export function createTenantStore(queries: Queries): TenantStore {
	return {
		insert: (tenant) => tenants.insertUnlessTaken(queries, { ...tenant, requireMfa: false }),
		findById: (id) => tenants.find(queries, { id }),
		findBySlug: (slug) => tenants.find(queries, { slug }),
		listAll: () => tenants.all(queries, "1 = 1 ORDER BY created_at, id"),
		list: ({ q }, page) =>
			tenants.list(queries, { filter: new Filter().contains(["name", "slug"], q) }, page),
		update: (id, changes, nowMs) =>
			tenants.updateUnlessTaken(queries, { ...changes, updatedAtMs: nowMs }, { id }, "slug_taken"),
	};
}
