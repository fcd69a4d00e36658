// The roles of applications in SQL.

import type {
	ApplicationRole,
	ApplicationRoleChanges,
	ApplicationRoleStore,
} from "../../features/applications/model.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { setClause } from "./set-clause.ts";

interface RoleRow {
	id: string;
	tenant_id: string;
	app_id: string;
	name: string;
	description: string;
	permissions: string;
	created_at: number;
	updated_at: number;
}

const COLUMNS = "id, tenant_id, app_id, name, description, permissions, created_at, updated_at";
const OF_APPLICATION = "app_id = $1 AND tenant_id = $2";

export function createApplicationRoleStore(queries: Queries): ApplicationRoleStore {
	return {
		async insert(role) {
			const changed = await queries.run(
				`INSERT INTO application_roles (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
				role.id,
				role.tenantId,
				role.appId,
				role.name,
				role.description,
				JSON.stringify(role.permissions),
				role.createdAtMs,
				role.updatedAtMs,
			);
			return changed === 1;
		},
		async findById(tenantId, appId, id) {
			const row = await queries.one<RoleRow>(
				`SELECT ${COLUMNS} FROM application_roles WHERE ${OF_APPLICATION} AND id = $3`,
				appId,
				tenantId,
				id,
			);
			return row && toRole(row);
		},
		async listAll(tenantId, appId) {
			const rows = await queries.all<RoleRow>(
				`SELECT ${COLUMNS} FROM application_roles WHERE ${OF_APPLICATION} ORDER BY name, id`,
				appId,
				tenantId,
			);
			return rows.map(toRole);
		},
		list(tenantId, appId, page) {
			const filter = new Filter().add("app_id = ? AND tenant_id = ?", appId, tenantId);
			return listPage<RoleRow, ApplicationRole>(
				queries,
				{ columns: COLUMNS, from: "application_roles", order: "created_at DESC, id DESC", filter },
				page,
				toRole,
			);
		},
		update: (tenantId, appId, id, changes, nowMs) => update(queries, [appId, tenantId, id], changes, nowMs),
		async remove(tenantId, appId, id) {
			const sql = `DELETE FROM application_roles WHERE ${OF_APPLICATION} AND id = $3`;
			return (await queries.run(sql, appId, tenantId, id)) === 1;
		},
	};
}

async function update(
	queries: Queries,
	place: readonly [appId: string, tenantId: string, id: string],
	changes: ApplicationRoleChanges,
	nowMs: number,
): Promise<"updated" | "missing" | "name_taken"> {
	const { assignments, values } = setClause(
		{
			name: changes.name,
			description: changes.description,
			permissions: changes.permissions && JSON.stringify(changes.permissions),
			updated_at: nowMs,
		},
		4,
	);
	try {
		const sql = `UPDATE application_roles SET ${assignments} WHERE ${OF_APPLICATION} AND id = $3`;
		return (await queries.run(sql, ...place, ...values)) === 1 ? "updated" : "missing";
	} catch (error) {
		if (error instanceof UniqueViolation) return "name_taken";
		throw error;
	}
}

function toRole(row: RoleRow): ApplicationRole {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		appId: row.app_id,
		name: row.name,
		description: row.description,
		permissions: JSON.parse(row.permissions) as string[],
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}
