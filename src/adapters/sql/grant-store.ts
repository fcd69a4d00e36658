// Grants in SQL: which user or group may use which application, with which of its roles.

import type { Grant, GrantStore, GrantSubject } from "../../features/applications/model.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";

interface GrantRow {
	id: string;
	tenant_id: string;
	app_id: string;
	user_id: string | null;
	group_id: string | null;
	created_at: number;
	updated_at: number;
}

/** Where grants of a kind are kept: the same columns under other names. */
interface Place {
	readonly grants: string;
	readonly roles: string;
	readonly subject: string;
}

const PLACES: Readonly<Record<GrantSubject["kind"], Place>> = {
	user: { grants: "grants", roles: "grant_roles", subject: "user_id" },
	group: { grants: "group_grants", roles: "group_grant_roles", subject: "group_id" },
};

const COLUMNS = "id, tenant_id, app_id, user_id, group_id, created_at, updated_at";
const BOTH = `(SELECT id, tenant_id, app_id, user_id, NULL AS group_id, created_at, updated_at FROM grants
	UNION ALL SELECT id, tenant_id, app_id, NULL AS user_id, group_id, created_at, updated_at FROM group_grants) held`;

export function createGrantStore(queries: Queries): GrantStore {
	return {
		put: (grant) => put(queries, PLACES[grant.subject.kind], grant),
		async find(tenantId, appId, { kind, id }) {
			const { grants, subject } = PLACES[kind];
			const other = kind === "user" ? "user_id, NULL AS group_id" : "NULL AS user_id, group_id";
			const row = await queries.one<GrantRow>(
				`SELECT id, tenant_id, app_id, ${other}, created_at, updated_at FROM ${grants}
				 WHERE app_id = $1 AND ${subject} = $2 AND tenant_id = $3`,
				appId,
				id,
				tenantId,
			);
			return row && (await withRoles(queries, [row]))[0];
		},
		async list(tenantId, appId, page) {
			const filter = new Filter().add("app_id = ? AND tenant_id = ?", appId, tenantId);
			const { items, total } = await listPage<GrantRow, GrantRow>(
				queries,
				{ columns: COLUMNS, from: BOTH, order: "created_at DESC, id DESC", filter },
				page,
				(row) => row,
			);
			return { items: await withRoles(queries, items), total };
		},
		remove(tenantId, appId, { kind, id }) {
			const { grants, subject } = PLACES[kind];
			return queries.one<{ id: string }>(
				`DELETE FROM ${grants} WHERE app_id = $1 AND ${subject} = $2 AND tenant_id = $3 RETURNING id`,
				appId,
				id,
				tenantId,
			);
		},
	};
}

async function put(
	queries: Queries,
	{ grants, roles, subject }: Place,
	grant: Parameters<GrantStore["put"]>[0],
): Promise<"created" | "changed" | "unchanged"> {
	// Writing the standing row without changing it takes its lock on every engine: a second PUT waits for this one.
	await queries.run(
		`INSERT INTO ${grants} (id, tenant_id, app_id, ${subject}, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
		 ON CONFLICT (app_id, ${subject}) DO UPDATE SET updated_at = ${grants}.updated_at`,
		grant.id,
		grant.tenantId,
		grant.appId,
		grant.subject.id,
		grant.createdAtMs,
		grant.updatedAtMs,
	);
	const held = await queries.all<{ id: string; role_id: string | null }>(
		`SELECT g.id, gr.role_id FROM ${grants} g LEFT JOIN ${roles} gr ON gr.grant_id = g.id
		 WHERE g.app_id = $1 AND g.${subject} = $2 AND g.tenant_id = $3`,
		grant.appId,
		grant.subject.id,
		grant.tenantId,
	);
	const id = held[0]?.id ?? grant.id;
	const before = new Set(held.map((row) => row.role_id).filter((role) => role !== null));
	const after = new Set(grant.roleIds);
	const lost = [...before].filter((role) => !after.has(role));
	const won = [...after].filter((role) => !before.has(role));
	for (const role of lost)
		await queries.run(`DELETE FROM ${roles} WHERE grant_id = $1 AND role_id = $2`, id, role);
	for (const role of won) {
		await queries.run(
			`INSERT INTO ${roles} (grant_id, role_id)
			 SELECT CAST($1 AS TEXT), r.id FROM application_roles r WHERE r.id = $2 AND r.app_id = $3 AND r.tenant_id = $4`,
			id,
			role,
			grant.appId,
			grant.tenantId,
		);
	}
	if (id === grant.id) return "created";
	if (lost.length + won.length === 0) return "unchanged";
	await queries.run(`UPDATE ${grants} SET updated_at = $2 WHERE id = $1`, id, grant.updatedAtMs);
	return "changed";
}

/** One statement a kind for the roles of a whole page. */
async function withRoles(queries: Queries, rows: readonly GrantRow[]): Promise<Grant[]> {
	const [ofUsers, ofGroups] = await Promise.all([
		rolesOf(
			queries,
			PLACES.user.roles,
			rows.filter(({ group_id }) => group_id === null),
		),
		rolesOf(
			queries,
			PLACES.group.roles,
			rows.filter(({ group_id }) => group_id !== null),
		),
	]);
	const held = Map.groupBy([...ofUsers, ...ofGroups], (role) => role.grant_id);
	return rows.map((row) => {
		const roles = (held.get(row.id) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
		return {
			id: row.id,
			tenantId: row.tenant_id,
			appId: row.app_id,
			subject:
				row.group_id === null
					? { kind: "user", id: row.user_id as string }
					: { kind: "group", id: row.group_id },
			roles: roles.map(({ name }) => name),
			roleIds: roles.map(({ role_id }) => role_id),
			createdAtMs: row.created_at,
			updatedAtMs: row.updated_at,
		};
	});
}

async function rolesOf(
	queries: Queries,
	table: string,
	rows: readonly GrantRow[],
): Promise<{ grant_id: string; role_id: string; name: string }[]> {
	if (rows.length === 0) return [];
	return queries.all(
		`SELECT gr.grant_id, gr.role_id, r.name FROM ${table} gr JOIN application_roles r ON r.id = gr.role_id
		 WHERE gr.grant_id IN (${rows.map((_, index) => `$${index + 1}`).join(", ")})`,
		...rows.map((row) => row.id),
	);
}
