// Grants in SQL: which user may use which application, with which of its roles.

import type { Grant, GrantStore } from "../../features/applications/model.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";

interface GrantRow {
	id: string;
	tenant_id: string;
	app_id: string;
	user_id: string;
	created_at: number;
	updated_at: number;
}

const COLUMNS = "id, tenant_id, app_id, user_id, created_at, updated_at";
const SUBJECT = "app_id = $1 AND user_id = $2 AND tenant_id = $3";

export function createGrantStore(queries: Queries): GrantStore {
	return {
		put: (grant) => put(queries, grant),
		async find(tenantId, appId, userId) {
			const row = await queries.one<GrantRow>(
				`SELECT ${COLUMNS} FROM grants WHERE ${SUBJECT}`,
				appId,
				userId,
				tenantId,
			);
			return row && (await withRoles(queries, [row]))[0];
		},
		async list(tenantId, appId, page) {
			const filter = new Filter().add("app_id = ? AND tenant_id = ?", appId, tenantId);
			const { items, total } = await listPage<GrantRow, GrantRow>(
				queries,
				{ columns: COLUMNS, from: "grants", order: "created_at DESC, id DESC", filter },
				page,
				(row) => row,
			);
			return { items: await withRoles(queries, items), total };
		},
		async remove(tenantId, appId, userId) {
			return (await queries.run(`DELETE FROM grants WHERE ${SUBJECT}`, appId, userId, tenantId)) === 1;
		},
	};
}

async function put(
	queries: Queries,
	grant: Parameters<GrantStore["put"]>[0],
): Promise<"created" | "changed" | "unchanged"> {
	// Writing the standing row without changing it takes its lock on every engine: a second PUT waits for this one.
	await queries.run(
		`INSERT INTO grants (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
		 ON CONFLICT (app_id, user_id) DO UPDATE SET updated_at = grants.updated_at`,
		grant.id,
		grant.tenantId,
		grant.appId,
		grant.userId,
		grant.createdAtMs,
		grant.updatedAtMs,
	);
	const held = await queries.all<{ id: string; role_id: string | null }>(
		"SELECT g.id, gr.role_id FROM grants g LEFT JOIN grant_roles gr ON gr.grant_id = g.id WHERE g.app_id = $1 AND g.user_id = $2",
		grant.appId,
		grant.userId,
	);
	const id = held[0]?.id ?? grant.id;
	const before = new Set(held.map((row) => row.role_id).filter((role) => role !== null));
	const after = new Set(grant.roleIds);
	const lost = [...before].filter((role) => !after.has(role));
	const won = [...after].filter((role) => !before.has(role));
	for (const role of lost)
		await queries.run("DELETE FROM grant_roles WHERE grant_id = $1 AND role_id = $2", id, role);
	for (const role of won) {
		await queries.run(
			`INSERT INTO grant_roles (grant_id, role_id)
			 SELECT CAST($1 AS TEXT), r.id FROM application_roles r WHERE r.id = $2 AND r.app_id = $3 AND r.tenant_id = $4`,
			id,
			role,
			grant.appId,
			grant.tenantId,
		);
	}
	if (id === grant.id) return "created";
	if (lost.length + won.length === 0) return "unchanged";
	await queries.run("UPDATE grants SET updated_at = $2 WHERE id = $1", id, grant.updatedAtMs);
	return "changed";
}

/** One statement for the roles of a whole page. */
async function withRoles(queries: Queries, rows: readonly GrantRow[]): Promise<Grant[]> {
	if (rows.length === 0) return [];
	const held = await queries.all<{ grant_id: string; name: string }>(
		`SELECT gr.grant_id, r.name FROM grant_roles gr JOIN application_roles r ON r.id = gr.role_id
		 WHERE gr.grant_id IN (${rows.map((_, index) => `$${index + 1}`).join(", ")})`,
		...rows.map((row) => row.id),
	);
	const names = Map.groupBy(held, (role) => role.grant_id);
	return rows.map((row) => ({
		id: row.id,
		tenantId: row.tenant_id,
		appId: row.app_id,
		userId: row.user_id,
		roles: (names.get(row.id) ?? []).map((role) => role.name).sort(),
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	}));
}
