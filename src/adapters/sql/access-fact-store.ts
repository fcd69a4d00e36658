// Everything the access decision is made from, read in one statement.

import type { AccessFactStore, AccessFacts } from "../../features/authorization/model.ts";
import type { Queries } from "./engine.ts";

interface FactRow {
	user_status: "active" | "disabled" | null;
	app_status: "active" | "disabled" | null;
	access_policy: "open" | "assigned" | null;
	grant_id: string | null;
	role_name: string | null;
	permissions: string | null;
}

/** A row for each role held, one with nulls where something is missing. User and application both stand behind the tenant's wall. */
const LOAD = `SELECT u.status AS user_status, a.status AS app_status, a.access_policy, g.id AS grant_id,
		r.name AS role_name, r.permissions
	FROM (SELECT CAST($1 AS TEXT) AS tenant_id, CAST($2 AS TEXT) AS user_id, CAST($3 AS TEXT) AS app_id) asked
	LEFT JOIN users u ON u.id = asked.user_id AND u.tenant_id = asked.tenant_id
	LEFT JOIN applications a ON a.id = asked.app_id AND a.tenant_id = asked.tenant_id
	LEFT JOIN grants g ON g.app_id = a.id AND g.user_id = u.id AND g.tenant_id = asked.tenant_id
	LEFT JOIN grant_roles gr ON gr.grant_id = g.id
	LEFT JOIN application_roles r ON r.id = gr.role_id AND r.app_id = a.id`;

export function createAccessFactStore(queries: Queries): AccessFactStore {
	return {
		async load(tenantId, userId, appId) {
			return toFacts(await queries.all<FactRow>(LOAD, tenantId, userId, appId));
		},
	};
}

function toFacts(rows: readonly FactRow[]): AccessFacts {
	const first = rows[0];
	if (first === undefined) throw new Error("access facts came back without a row");
	const { user_status, app_status, access_policy, grant_id } = first;
	return {
		user: user_status === null ? undefined : { status: user_status },
		application:
			app_status === null || access_policy === null
				? undefined
				: { status: app_status, accessPolicy: access_policy },
		grant: grant_id === null ? undefined : { roles: rows.flatMap(toRole) },
	};
}

function toRole({ role_name, permissions }: FactRow): { name: string; permissions: string[] }[] {
	if (role_name === null || permissions === null) return [];
	return [{ name: role_name, permissions: JSON.parse(permissions) as string[] }];
}
