// What subjects may do, as one statement reads it: a row for each source of access.

import type { ReviewedScope, SourceKind } from "../../domain/review.ts";
import { padded, paddedLists, places } from "../sql/parameter-lists.ts";
import { type Queries, type SqlValue, statement } from "../sql/queries.ts";
import { EARLIER_END, USED_BY_MEMBER } from "./grant-store.ts";

/** A source of access with its subject; `role` for a role of an application; `group_app` for an application of a group. */
export interface AccessRow {
	readonly kind: SourceKind | "role" | "group_app";
	readonly id: string;
	/** Of the group or the role. */
	readonly name: string;
	readonly subjectId: string;
	readonly subjectName: string;
	readonly ownerId: string | null;
	readonly appId: string | null;
	readonly appName: string | null;
	/** Ids of roles, or the names of system roles, separated by commas. */
	readonly roles: string | null;
	/** JSON: scopes, resources, or the permissions of a role. */
	readonly scopes: string;
	readonly expiresAtMs: number | null;
	readonly requestId: string | null;
	readonly grantedBy: string | null;
	readonly lastUsedAtMs: number | null;
	readonly createdAtMs: number;
	readonly ownerLeft: 0 | 1;
}

type Cells = Readonly<Record<Exclude<keyof AccessRow, "kind">, string>>;

const NO_TEXT = "CAST(NULL AS TEXT)";
const NO_NUMBER = "CAST(NULL AS BIGINT)";
/** The cells in the order of the columns, for what a source leaves out. */
const NOTHING: Cells = {
	id: "''",
	name: "''",
	subjectId: "''",
	subjectName: "''",
	ownerId: NO_TEXT,
	appId: NO_TEXT,
	appName: NO_TEXT,
	roles: NO_TEXT,
	scopes: "'[]'",
	expiresAtMs: NO_NUMBER,
	requestId: NO_TEXT,
	grantedBy: NO_TEXT,
	lastUsedAtMs: NO_NUMBER,
	createdAtMs: "0",
	ownerLeft: "0",
};

type Chosen = Pick<Cells, "id" | "subjectId" | "subjectName"> & Partial<Cells>;

function select(kind: AccessRow["kind"], cells: Chosen, from: string): string {
	const columns = Object.entries({ ...NOTHING, ...cells }).map(([name, sql]) => `${sql} AS "${name}"`);
	return `SELECT '${kind}' AS kind, ${columns.join(", ")} FROM ${from}`;
}

const rolesOf = (table: string) =>
	`(SELECT string_agg(gr.role_id, ',') FROM ${table} gr WHERE gr.grant_id = g.id)`;
const hasLeft = (user: string, alias: string) =>
	`CASE WHEN ${user} IS NOT NULL AND (${alias}.id IS NULL OR ${alias}.status <> 'active') THEN 1 ELSE 0 END`;

const USER = {
	subjectId: "u.id",
	subjectName: "u.username",
	ownerId: "u.id",
	ownerLeft: "CASE WHEN u.status = 'disabled' THEN 1 ELSE 0 END",
};
const GRANT = {
	id: "g.id",
	appId: "g.app_id",
	appName: "a.name",
	expiresAtMs: "g.expires_at",
	requestId: "g.request_id",
	grantedBy: "g.granted_by",
	lastUsedAtMs: "g.last_used_at",
	createdAtMs: "g.created_at",
};
const MEMBER = {
	...USER,
	id: "o.id",
	name: "o.name",
	appId: "g.app_id",
	appName: "a.name",
	roles: rolesOf("group_grant_roles"),
	expiresAtMs: EARLIER_END,
	grantedBy: "g.granted_by",
	lastUsedAtMs: USED_BY_MEMBER,
	createdAtMs: "m.added_at",
};
const MEMBERSHIP = "users u JOIN group_members m ON m.user_id = u.id AND m.tenant_id = u.tenant_id";

/** The statement that reads all sources of a scope, of these subjects only if they are given. */
function accessSql(
	{ tenantId, subject, appId, groupId }: ReviewedScope,
	nowMs: number,
	subjectIds: readonly string[] | undefined,
): { readonly text: string; readonly parameters: SqlValue[] } {
	const parameters: SqlValue[] = [tenantId, nowMs];
	const parameter = (value: SqlValue) => `$${parameters.push(value)}`;
	const app = appId === null ? undefined : parameter(appId);
	const ids = subjectIds && `(${padded(subjectIds).map(parameter).join(", ")})`;
	/** Some subjects are found by their ids: no index over the tenant, which would read all of them, has this form. */
	const ofTenant = (alias: string) =>
		ids === undefined ? `${alias}.tenant_id = $1` : `lower(${alias}.tenant_id) = $1`;
	const where = (subjectId: string, end: string, ofApp: string, alias: string) =>
		[
			`WHERE ${ofTenant(alias)} AND (${end} IS NULL OR ${end} > $2)`,
			...(app === undefined || ofApp === "" ? [] : [`${ofApp} = ${app}`]),
			...(ids === undefined ? [] : [`${subjectId} IN ${ids}`]),
		].join(" AND ");
	const parts: Record<ReviewedScope["subject"], () => string[]> = {
		people: () => {
			if (groupId !== null)
				return [
					select(
						"group",
						{ ...MEMBER, lastUsedAtMs: "m.last_used_at" },
						`${MEMBERSHIP} AND m.group_id = ${parameter(groupId)} JOIN user_groups o ON o.id = m.group_id
						LEFT JOIN group_grants g ON g.group_id = m.group_id AND g.tenant_id = m.tenant_id AND (g.expires_at IS NULL OR g.expires_at > $2)
						LEFT JOIN applications a ON a.id = g.app_id ${where("u.id", "m.expires_at", "", "u")}`,
					),
				];
			const own = select(
				"grant",
				{ ...USER, ...GRANT, roles: rolesOf("grant_roles") },
				`users u JOIN grants g ON g.user_id = u.id AND g.tenant_id = u.tenant_id JOIN applications a ON a.id = g.app_id
				${where("u.id", "g.expires_at", "g.app_id", "u")}`,
			);
			const byGroups = select(
				"group",
				MEMBER,
				`${MEMBERSHIP} JOIN user_groups o ON o.id = m.group_id
				JOIN group_grants g ON g.group_id = m.group_id AND g.tenant_id = m.tenant_id JOIN applications a ON a.id = g.app_id
				${where("u.id", EARLIER_END, "g.app_id", "u")}`,
			);
			const system = select(
				"system_roles",
				{
					...USER,
					id: "u.id",
					roles: "u.roles",
					lastUsedAtMs: "u.last_login_at",
					createdAtMs: "u.created_at",
				},
				`users u WHERE ${ofTenant("u")} AND u.roles <> ''${ids === undefined ? "" : ` AND u.id IN ${ids}`}`,
			);
			return appId === null ? [own, byGroups, system] : [own, byGroups];
		},
		partners: () => [
			select(
				"api_client",
				{
					id: "c.id",
					subjectId: "c.id",
					subjectName: "c.name",
					ownerId: "(SELECT o.id FROM users o WHERE o.tenant_id = c.tenant_id AND o.email = r.email)",
					appId: "c.app_id",
					appName: "a.name",
					roles: rolesOf("client_grant_roles"),
					scopes: "c.scopes",
					expiresAtMs: "c.expires_at",
					requestId: "c.access_request_id",
					grantedBy: "c.created_by",
					lastUsedAtMs: "c.last_used_at",
					createdAtMs: "c.created_at",
					ownerLeft: hasLeft("c.created_by", "x"),
				},
				`api_clients c JOIN applications a ON a.id = c.app_id
				LEFT JOIN client_grants g ON g.client_id = c.id AND g.app_id = c.app_id AND (g.expires_at IS NULL OR g.expires_at > $2)
				LEFT JOIN requests r ON r.id = c.access_request_id LEFT JOIN users x ON x.id = c.created_by
				${where("c.id", "c.expires_at", "c.app_id", "c")} AND c.status <> 'disabled' AND c.mode = 'live'`,
			),
		],
		programs: () => [
			...(appId === null
				? [
						select(
							"program",
							{
								id: "p.application_id",
								subjectId: "p.application_id",
								subjectName: "a.name",
								scopes: "c.allowed_resources",
								expiresAtMs: "p.expires_at",
								grantedBy: "p.reviewed_by",
								lastUsedAtMs: "a.last_sign_in_at",
								createdAtMs: "p.created_at",
								ownerLeft: hasLeft("p.reviewed_by", "x"),
							},
							`programs p JOIN applications a ON a.id = p.application_id
							JOIN oauth_clients c ON c.application_id = p.application_id LEFT JOIN users x ON x.id = p.reviewed_by
							${where("p.application_id", "p.expires_at", "", "p")} AND p.status = 'active'`,
						),
					]
				: []),
			select(
				"program_grant",
				{
					...GRANT,
					subjectId: "s.id",
					subjectName: "s.name",
					roles: rolesOf("program_grant_roles"),
					ownerLeft: hasLeft("g.granted_by", "x"),
				},
				`applications s JOIN program_grants g ON g.program_id = s.id AND g.tenant_id = s.tenant_id
				JOIN applications a ON a.id = g.app_id LEFT JOIN users x ON x.id = g.granted_by
				${where("s.id", "g.expires_at", "g.app_id", "s")}`,
			),
		],
		admin_keys: () => [
			select(
				"admin_key",
				{
					id: "k.id",
					subjectId: "k.id",
					subjectName: "k.name",
					ownerId: "k.created_by",
					roles: "k.roles",
					expiresAtMs: "k.expires_at",
					grantedBy: "k.created_by",
					lastUsedAtMs: "k.last_used_at",
					createdAtMs: "k.created_at",
					ownerLeft: hasLeft("k.created_by", "x"),
				},
				`admin_keys k LEFT JOIN users x ON x.id = k.created_by ${where("k.id", "k.expires_at", "", "k")}`,
			),
		],
	};
	const ofScope = `WHERE a.tenant_id = $1${app === undefined ? "" : ` AND a.id = ${app}`}`;
	const roles = `applications a JOIN application_roles r ON r.app_id = a.id ${ofScope}`;
	const groupApps = `group_grants h JOIN applications b ON b.id = h.app_id
		WHERE h.tenant_id = $1 AND (h.expires_at IS NULL OR h.expires_at > $2)${
			app === undefined
				? ""
				: ` AND EXISTS (SELECT 1 FROM group_grants g WHERE g.group_id = h.group_id AND g.app_id = ${app})`
		}`;
	const all = parts[subject]();
	if (ids === undefined) {
		all.push(select("role", ROLE, roles));
		if (subject === "people" && groupId === null) all.push(select("group_app", GROUP_APP, groupApps));
	}
	return { text: all.join(" UNION ALL "), parameters };
}

const ROLE = {
	id: "r.id",
	name: "r.name",
	subjectId: "r.id",
	subjectName: "''",
	appId: "r.app_id",
	scopes: "r.permissions",
};

const GROUP_APP = {
	id: "h.group_id",
	subjectId: "h.group_id",
	subjectName: "''",
	appId: "h.app_id",
	appName: "b.name",
};

/** In one statement without `subjectIds`; roles, and the applications of groups, are rows of their own. */
export async function readAccess(
	queries: Queries,
	scope: ReviewedScope,
	nowMs: number,
	subjectIds?: readonly string[],
): Promise<AccessRow[]> {
	const { text, parameters } = accessSql(scope, nowMs, subjectIds);
	const sql = subjectIds === undefined ? statement(text, { reads: "separately" }) : text;
	const rows = await queries.all<AccessRow>(sql, ...parameters);
	if (subjectIds === undefined) return rows;
	const groupApps = scope.groupId === null ? await findGroupApps(queries, scope.tenantId, rows, nowMs) : [];
	return [...rows, ...(await findRoles(queries, rows)), ...groupApps];
}

/** The applications of the groups of a few subjects. */
async function findGroupApps(
	queries: Queries,
	tenantId: string,
	rows: readonly AccessRow[],
	nowMs: number,
): Promise<AccessRow[]> {
	const ids = [...new Set(rows.filter(({ kind }) => kind === "group").map(({ id }) => id))];
	const found: AccessRow[] = [];
	for (const some of paddedLists(ids)) {
		const grants = `group_grants h JOIN applications b ON b.id = h.app_id
			WHERE h.group_id IN (${places(some, 3)}) AND lower(h.tenant_id) = $1 AND (h.expires_at IS NULL OR h.expires_at > $2)`;
		const sql = select("group_app", GROUP_APP, grants);
		found.push(...(await queries.all<AccessRow>(sql, tenantId, nowMs, ...some)));
	}
	return found;
}

/** The roles of a few sources, which the statement for some subjects leaves out. */
async function findRoles(queries: Queries, rows: readonly AccessRow[]): Promise<AccessRow[]> {
	const ids = [...new Set(rows.flatMap(({ roles }) => roles?.split(",") ?? []))];
	const found: AccessRow[] = [];
	for (const some of paddedLists(ids)) {
		const sql = select("role", ROLE, `application_roles r WHERE r.id IN (${places(some, 1)})`);
		found.push(...(await queries.all<AccessRow>(sql, ...some)));
	}
	return found;
}
