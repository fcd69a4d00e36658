// The facts on which access decisions are based, read in one statement for one pair or many.

import {
	type AccessFactStore,
	type AccessFacts,
	type AccessPair,
	type FactGrant,
	type FactRole,
	factsAt,
	hasEnds,
} from "../../domain/access.ts";
import type { UserStatus } from "../../domain/user.ts";
import { perShared } from "../../kernel/per-shared.ts";
import { isText, listOf, parseJson } from "../../kernel/shape.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { EARLIER_END } from "./grant-store.ts";
import type { TenantTime } from "./tenant-time.ts";

interface FactRow {
	/** Index of the pair; `ROLE_PLACE` for a role. */
	place: number;
	user_status: UserStatus | null;
	app_status: "active" | "disabled" | null;
	access_policy: "open" | "assigned" | null;
	grant_id: string | null;
	expires_at: number | null;
	group_id: string | null;
	group_name: string | null;
	role_id: string | null;
	role_name: string | null;
	permissions: string | null;
}

/** Batches are padded to one of these sizes, so that few statements are prepared. */
const SIZES = [1, 10, 100];
const ROLE_PLACE = -1;
const isTexts = listOf(isText);
const NO_PAIR: AccessPair = { userId: "", appId: "" };
const statements = new Map<number, string>();

/**
 * Returns a row for each role of the user's own grant, with nulls for what is missing; then a row for each role granted
 * through a group; then each of these roles once, because several groups may grant it and its permissions are long. All
 * rows belong to the tenant.
 */
const LOAD_ONE = statement(
	`WITH asked (user_id, app_id) AS (VALUES (CAST($2 AS TEXT), CAST($3 AS TEXT)))
	SELECT 0 AS place, u.status AS user_status, a.status AS app_status, a.access_policy, g.id AS grant_id, g.expires_at,
		NULL AS group_id, NULL AS group_name, r.id AS role_id, r.name AS role_name, r.permissions
	FROM asked k
	LEFT JOIN users u ON u.id = k.user_id AND u.tenant_id = $1
	LEFT JOIN applications a ON a.id = k.app_id AND a.tenant_id = $1
	LEFT JOIN grants g ON g.app_id = a.id AND g.user_id = u.id AND g.tenant_id = $1
	LEFT JOIN grant_roles gr ON gr.grant_id = g.id
	LEFT JOIN application_roles r ON r.id = gr.role_id AND r.app_id = a.id
	UNION ALL
	SELECT 0, NULL, NULL, NULL, g.id, ${EARLIER_END}, o.id, o.name, gr.role_id, NULL, NULL
	FROM group_members m
	JOIN group_grants g ON g.group_id = m.group_id AND g.app_id = $3 AND g.tenant_id = $1
	JOIN user_groups o ON o.id = m.group_id AND o.tenant_id = $1
	LEFT JOIN group_grant_roles gr ON gr.grant_id = g.id
	WHERE m.user_id = $2 AND m.tenant_id = $1
	UNION ALL
	SELECT ${ROLE_PLACE}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, r.id, r.name, r.permissions
	FROM (
		SELECT DISTINCT gr.role_id
		FROM group_members m
		JOIN group_grants g ON g.group_id = m.group_id AND g.app_id = $3 AND g.tenant_id = $1
		JOIN group_grant_roles gr ON gr.grant_id = g.id
		WHERE m.user_id = $2 AND m.tenant_id = $1
	) granted
	JOIN application_roles r ON r.id = granted.role_id AND r.app_id = $3`,
	{ reads: "cached" },
);

/** The columns of a `FactRow` of a caller that is no user; `subject` joins it as `s`. */
function loadOfCallerSql(table: string, column: string, subject: string) {
	return statement(
		`WITH asked (subject_id, app_id) AS (VALUES (CAST($2 AS TEXT), CAST($3 AS TEXT)))
	SELECT 0 AS place, CASE WHEN s.status = 'active' THEN 'active' WHEN s.id IS NOT NULL THEN 'disabled' END AS user_status,
		a.status AS app_status, a.access_policy, g.id AS grant_id, g.expires_at, NULL AS group_id, NULL AS group_name,
		r.id AS role_id, r.name AS role_name, r.permissions
	FROM asked k
	LEFT JOIN applications a ON a.id = k.app_id AND a.tenant_id = $1
	LEFT JOIN ${subject} AND s.tenant_id = $1
	LEFT JOIN ${table}s g ON g.app_id = a.id AND g.${column} = s.id AND g.tenant_id = $1
	LEFT JOIN ${table}_roles gr ON gr.grant_id = g.id
	LEFT JOIN application_roles r ON r.id = gr.role_id AND r.app_id = a.id`,
		{ reads: "cached" },
	);
}

const LOAD_OF_CALLER = {
	api_client: loadOfCallerSql(
		"client_grant",
		"client_id",
		"api_clients s ON s.id = k.subject_id AND s.app_id = k.app_id",
	),
	program: loadOfCallerSql("program_grant", "program_id", "applications s ON s.id = k.subject_id"),
};

/** The statements that decide about one pair. */
export const FACT_STATEMENTS = [LOAD_ONE, ...Object.values(LOAD_OF_CALLER)];

/**
 * The same for many pairs; each role is returned once, after all grants. SQLite keeps the order of a `CROSS JOIN`; otherwise
 * it would read all members of all groups first.
 */
function loadManySql(size: number): string {
	const asked = Array.from(
		{ length: size },
		(_, place) => `(${place}, CAST($${2 * place + 2} AS TEXT), CAST($${2 * place + 3} AS TEXT))`,
	);
	return `WITH asked (place, user_id, app_id) AS (VALUES ${asked.join(", ")}),
	held (place, app_id, user_status, app_status, access_policy, grant_id, expires_at, group_id, group_name, role_id) AS (
		SELECT k.place, a.id, u.status, a.status, a.access_policy, g.id, g.expires_at, NULL, NULL, gr.role_id
		FROM asked k
		LEFT JOIN users u ON u.id = k.user_id AND u.tenant_id = $1
		LEFT JOIN applications a ON a.id = k.app_id AND a.tenant_id = $1
		LEFT JOIN grants g ON g.app_id = a.id AND g.user_id = u.id AND g.tenant_id = $1
		LEFT JOIN grant_roles gr ON gr.grant_id = g.id
		UNION ALL
		SELECT k.place, g.app_id, NULL, NULL, NULL, g.id, ${EARLIER_END}, o.id, o.name, gr.role_id
		FROM asked k
		CROSS JOIN group_members m
		JOIN group_grants g ON g.group_id = m.group_id AND g.app_id = k.app_id AND g.tenant_id = $1
		JOIN user_groups o ON o.id = m.group_id AND o.tenant_id = $1
		LEFT JOIN group_grant_roles gr ON gr.grant_id = g.id
		WHERE m.user_id = k.user_id AND m.tenant_id = $1
	)
	SELECT place, user_status, app_status, access_policy, grant_id, expires_at, group_id, group_name, role_id,
		NULL AS role_name, NULL AS permissions
	FROM held
	UNION ALL
	SELECT ${ROLE_PLACE}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, r.id, r.name, r.permissions
	FROM (SELECT DISTINCT role_id, app_id FROM held WHERE role_id IS NOT NULL) granted
	JOIN application_roles r ON r.id = granted.role_id AND r.app_id = granted.app_id`;
}

/**
 * No statement has a condition on the time: the rows are cached until a commit, so it would be late. The ends are facts, and
 * compared with the time at each call.
 */
export function createAccessFactStore(queries: Queries, timeOf: TenantTime): AccessFactStore {
	const current = async (tenantId: string, facts: AccessFacts): Promise<AccessFacts> =>
		hasEnds(facts) ? factsAt(facts, await timeOf(tenantId)) : facts;
	return {
		async loadOfCaller(tenantId, { kind, id }, appId) {
			const rows = await queries.all<FactRow>(LOAD_OF_CALLER[kind], tenantId, id, appId);
			return current(tenantId, factsOf(rows));
		},
		async load(tenantId, userId, appId) {
			return current(tenantId, factsOf(await queries.all<FactRow>(LOAD_ONE, tenantId, userId, appId)));
		},
		async loadAll(tenantId, pairs) {
			const size = SIZES.find((size) => size >= pairs.length);
			if (size === undefined) throw new RangeError(`at most ${SIZES.at(-1)} pairs at once`);
			const filled = [...pairs, ...Array.from({ length: size - pairs.length }, () => NO_PAIR)];
			const parameters = filled.flatMap(({ userId, appId }) => [userId, appId]);
			const rows = await queries.all<FactRow>(sqlFor(size), tenantId, ...parameters);
			const places = Map.groupBy(rows, ({ place }) => place);
			const roles = toRoles(places.get(ROLE_PLACE) ?? []);
			const facts = pairs.map((_, place) => toFacts(places.get(place) ?? [], roles));
			if (!facts.some(hasEnds)) return facts;
			const now = await timeOf(tenantId);
			return facts.map((each) => factsAt(each, now));
		},
	};
}

function sqlFor(size: number): string {
	let sql = statements.get(size);
	if (sql === undefined) {
		sql = loadManySql(size);
		statements.set(size, sql);
	}
	return sql;
}

/** Requests share cached rows, and therefore the frozen facts. */
const factsOf = perShared((rows: readonly FactRow[]) => toFacts(rows, toRoles(rows)));

function toRoles(rows: readonly FactRow[]): ReadonlyMap<string, FactRole> {
	const roles = new Map<string, FactRole>();
	for (const { role_id: id, role_name: name, permissions } of rows)
		if (id !== null && name !== null && permissions !== null)
			roles.set(id, { id, name, permissions: parseJson(isTexts, permissions) });
	return roles;
}

function toFacts(rows: readonly FactRow[], roles: ReadonlyMap<string, FactRole>): AccessFacts {
	const first = rows.find(({ place, group_id }) => place !== ROLE_PLACE && group_id === null);
	if (first === undefined) throw new Error("the query for access facts returned no row");
	const { user_status, app_status, access_policy } = first;
	return {
		user: user_status === null ? undefined : { status: user_status },
		application:
			app_status === null || access_policy === null
				? undefined
				: { status: app_status, accessPolicy: access_policy },
		grants: toGrants(rows, roles),
	};
}

function toGrants(rows: readonly FactRow[], roles: ReadonlyMap<string, FactRole>): FactGrant[] {
	const grants = new Map<string, FactGrant & { readonly roles: FactRole[] }>();
	for (const { grant_id: id, expires_at: expiresAtMs, group_id, group_name, role_id } of rows) {
		if (id === null) continue;
		let grant = grants.get(id);
		if (grant === undefined) {
			const group = group_id === null ? undefined : { id: group_id, name: group_name ?? "" };
			grant = { id, group, roles: [], expiresAtMs };
			grants.set(id, grant);
		}
		const role = roles.get(role_id ?? "");
		if (role !== undefined) grant.roles.push(role);
	}
	return [...grants.values()];
}
