// Everything access decisions are made from, read in one statement, for one question or for many.

import type {
	AccessFactStore,
	AccessFacts,
	AccessPair,
	FactGrant,
	FactRole,
} from "../../features/authorization/model.ts";
import type { Queries } from "./engine.ts";

interface FactRow {
	place: number;
	user_status: "active" | "disabled" | null;
	app_status: "active" | "disabled" | null;
	access_policy: "open" | "assigned" | null;
	grant_id: string | null;
	group_id: string | null;
	group_name: string | null;
	role_id: string | null;
	role_name: string | null;
	permissions: string | null;
}

/** A batch is filled up to one of these, so that there are few statements to prepare. */
const SIZES = [1, 10, 100];
const NOBODY: AccessPair = { userId: "", appId: "" };
const statements = new Map<number, string>();

/**
 * First a row for each role of the user's own grant, one with nulls where something is missing; then a row for each
 * role that came by a group. Users, applications and groups all stand behind the tenant's wall.
 */
function loadSql(size: number): string {
	const asked = Array.from(
		{ length: size },
		(_, place) => `(${place}, CAST($${2 * place + 2} AS TEXT), CAST($${2 * place + 3} AS TEXT))`,
	);
	return `WITH asked (place, user_id, app_id) AS (VALUES ${asked.join(", ")})
	SELECT k.place, u.status AS user_status, a.status AS app_status, a.access_policy, g.id AS grant_id,
		NULL AS group_id, NULL AS group_name, r.id AS role_id, r.name AS role_name, r.permissions
	FROM asked k
	LEFT JOIN users u ON u.id = k.user_id AND u.tenant_id = $1
	LEFT JOIN applications a ON a.id = k.app_id AND a.tenant_id = $1
	LEFT JOIN grants g ON g.app_id = a.id AND g.user_id = u.id AND g.tenant_id = $1
	LEFT JOIN grant_roles gr ON gr.grant_id = g.id
	LEFT JOIN application_roles r ON r.id = gr.role_id AND r.app_id = a.id
	UNION ALL
	SELECT k.place, NULL, NULL, NULL, g.id, o.id, o.name, r.id, r.name, r.permissions
	FROM asked k
	JOIN group_members m ON m.user_id = k.user_id AND m.tenant_id = $1
	JOIN group_grants g ON g.group_id = m.group_id AND g.app_id = k.app_id AND g.tenant_id = $1
	JOIN user_groups o ON o.id = m.group_id AND o.tenant_id = $1
	LEFT JOIN group_grant_roles gr ON gr.grant_id = g.id
	LEFT JOIN application_roles r ON r.id = gr.role_id AND r.app_id = g.app_id`;
}

export function createAccessFactStore(queries: Queries): AccessFactStore {
	return {
		async load(tenantId, userId, appId) {
			return toFacts(await queries.all<FactRow>(sqlFor(1), tenantId, userId, appId));
		},
		async loadAll(tenantId, pairs) {
			const size = SIZES.find((size) => size >= pairs.length);
			if (size === undefined) throw new RangeError(`at most ${SIZES.at(-1)} pairs at once`);
			const filled = [...pairs, ...Array.from({ length: size - pairs.length }, () => NOBODY)];
			const parameters = filled.flatMap(({ userId, appId }) => [userId, appId]);
			const rows = await queries.all<FactRow>(sqlFor(size), tenantId, ...parameters);
			const places = Map.groupBy(rows, ({ place }) => place);
			return pairs.map((_, place) => toFacts(places.get(place) ?? []));
		},
	};
}

function sqlFor(size: number): string {
	let sql = statements.get(size);
	if (sql === undefined) {
		sql = loadSql(size);
		statements.set(size, sql);
	}
	return sql;
}

function toFacts(rows: readonly FactRow[]): AccessFacts {
	const first = rows.find(({ group_id }) => group_id === null);
	if (first === undefined) throw new Error("access facts came back without a row");
	const { user_status, app_status, access_policy } = first;
	return {
		user: user_status === null ? undefined : { status: user_status },
		application:
			app_status === null || access_policy === null
				? undefined
				: { status: app_status, accessPolicy: access_policy },
		grants: toGrants(rows),
	};
}

function toGrants(rows: readonly FactRow[]): FactGrant[] {
	const grants = new Map<string, FactGrant & { readonly roles: FactRole[] }>();
	for (const { grant_id: id, group_id, group_name, role_id, role_name, permissions } of rows) {
		if (id === null) continue;
		let grant = grants.get(id);
		if (grant === undefined) {
			const group = group_id === null ? undefined : { id: group_id, name: group_name ?? "" };
			grant = { id, group, roles: [] };
			grants.set(id, grant);
		}
		if (role_id !== null && role_name !== null && permissions !== null)
			grant.roles.push({ id: role_id, name: role_name, permissions: JSON.parse(permissions) as string[] });
	}
	return [...grants.values()];
}
