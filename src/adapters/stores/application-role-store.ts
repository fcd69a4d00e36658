// The roles of applications in SQL.

import type { ApplicationRoleStore } from "../../domain/application-role.ts";
import type { Queries } from "../sql/engine.ts";
import { applications, applicationRoles as roles } from "../sql/tables/access-tables.ts";

export function createApplicationRoleStore(queries: Queries): ApplicationRoleStore {
	return {
		async countForInsert(tenantId, appId) {
			await applications.lock(queries, { id: appId, tenantId });
			return roles.count(queries, { appId, tenantId });
		},
		insert: (role) => roles.insertUnlessTaken(queries, role),
		findById: (tenantId, appId, id) => roles.find(queries, { appId, tenantId, id }),
		listAll: (tenantId, appId) =>
			roles.all(queries, "app_id = $1 AND tenant_id = $2 ORDER BY name, id", appId, tenantId),
		list: (tenantId, appId, page) =>
			roles.list(queries, { filter: roles.matching({ appId, tenantId }) }, page),
		update(tenantId, appId, id, changes, nowMs) {
			const row = { ...changes, updatedAtMs: nowMs };
			return roles.updateUnlessTaken(queries, row, { appId, tenantId, id }, "name_taken");
		},
		remove: (tenantId, appId, id) => roles.deleteOne(queries, { appId, tenantId, id }),
	};
}
