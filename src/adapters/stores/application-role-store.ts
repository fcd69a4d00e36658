// The roles of applications in SQL.

import type { ApplicationRoleStore } from "../../domain/application-role.ts";
import type { Queries } from "../sql/engine.ts";
import { Filter } from "../sql/page.ts";
import { unlessTaken } from "../sql/table.ts";
import { applicationRoles, applications } from "../sql/tables/access-tables.ts";

const OF_APPLICATION = "app_id = $1 AND tenant_id = $2";
const THIS_ROLE = `${OF_APPLICATION} AND id = $3`;

export function createApplicationRoleStore(queries: Queries): ApplicationRoleStore {
	return {
		async countForInsert(tenantId, appId) {
			await applications.lock(queries, "id = $1 AND tenant_id = $2", appId, tenantId);
			return applicationRoles.count(queries, OF_APPLICATION, appId, tenantId);
		},
		insert: (role) => applicationRoles.insertUnlessTaken(queries, role),
		findById: (tenantId, appId, id) => applicationRoles.find(queries, THIS_ROLE, appId, tenantId, id),
		listAll: (tenantId, appId) =>
			applicationRoles.all(queries, `${OF_APPLICATION} ORDER BY name, id`, appId, tenantId),
		list(tenantId, appId, page) {
			const filter = new Filter().add("app_id = ? AND tenant_id = ?", appId, tenantId);
			return applicationRoles.list(queries, { filter }, page);
		},
		update(tenantId, appId, id, changes, nowMs) {
			const row = { ...changes, updatedAtMs: nowMs };
			const update = applicationRoles.updateOne(queries, row, THIS_ROLE, appId, tenantId, id);
			return unlessTaken(
				update.then((done) => (done ? "updated" : "missing")),
				() => "name_taken",
			);
		},
		remove: (tenantId, appId, id) => applicationRoles.deleteOne(queries, THIS_ROLE, appId, tenantId, id),
	};
}
