// Managers of applications and groups in SQL.

import type { Managed, ManagedByUser, Manager, ManagerStore } from "../../domain/manager.ts";
import { listRows } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { managers } from "../sql/tables/access-tables.ts";
import { users } from "../sql/tables/account-tables.ts";

const LIST = {
	columns: `m.user_id AS "userId", m.added_at AS "addedAtMs",
		${users.pick("username", "displayName", "email", "status").as("u").columns}`,
	from: "managers m JOIN users u ON u.id = m.user_id AND u.tenant_id = m.tenant_id",
	order: "m.added_at DESC, m.id DESC",
};
const OF_USER = {
	columns: `CASE WHEN m.app_id IS NULL THEN 'group' ELSE 'application' END AS kind, coalesce(a.id, g.id) AS id,
		coalesce(a.name, g.name) AS name, m.added_at AS "addedAtMs"`,
	from: "managers m LEFT JOIN applications a ON a.id = m.app_id LEFT JOIN user_groups g ON g.id = m.group_id",
	order: "m.added_at DESC, m.id DESC",
};

export function createManagerStore(queries: Queries): ManagerStore {
	return {
		manages: (tenantId, userId, managed) =>
			managers.exists(queries, { ...placeOf(managed), userId, tenantId }),
		add: ({ id, tenantId, userId, managed, addedAtMs }) =>
			managers.insertUnlessTaken(queries, {
				id,
				tenantId,
				userId,
				appId: null,
				groupId: null,
				addedAtMs,
				...placeOf(managed),
			}),
		remove: async (tenantId, userId, managed) =>
			(await managers.delete(queries, { ...placeOf(managed), userId, tenantId })) === 1,
		list(tenantId, managed, page) {
			const filter = managers.as("m").matching({ ...placeOf(managed), tenantId });
			return listRows<Manager>(queries, { ...LIST, filter }, page);
		},
		listOfUser(tenantId, userId, page) {
			const filter = managers.as("m").matching({ userId, tenantId });
			return listRows<ManagedByUser>(queries, { ...OF_USER, filter }, page);
		},
	};
}

function placeOf({ kind, id }: Managed): { readonly appId: string } | { readonly groupId: string } {
	return kind === "application" ? { appId: id } : { groupId: id };
}
