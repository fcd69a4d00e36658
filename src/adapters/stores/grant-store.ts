// Grants in SQL: who may use which applications, and with which roles.

import {
	GRANT_KINDS,
	type Grant,
	type GrantStore,
	type GrantSubject,
	type HeldGrant,
	type NamedGrant,
} from "../../domain/grant.ts";
import { mapPage, type Page, type PageQuery } from "../../kernel/page.ts";
import { Filter, listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import {
	clientGrantRoles,
	clientGrants,
	grantRoles,
	grants,
	groupGrantRoles,
	groupGrants,
	programGrantRoles,
	programGrants,
} from "../sql/tables/access-tables.ts";

type Kind = GrantSubject["kind"];

interface GrantRow extends Omit<Grant, "subject" | "roles" | "roleIds"> {
	readonly kind: Kind;
	readonly subjectId: string;
}

type NamedRow = GrantRow & Pick<NamedGrant, "subjectName" | "displayName">;
type HeldRow = Omit<HeldGrant, "roles" | "roleIds">;
type ListSql = Parameters<typeof listPage>[1];

/** The tables of a kind of grant, which have the same columns under different names. */
interface Place {
	readonly grants: string;
	readonly roles: string;
	/** The column that names the subject. */
	readonly subject: string;
	/** Joins the subject as `o`, with its name and display name. */
	readonly join: string;
	readonly name: string;
	readonly displayName: string;
	/** Both names, folded. */
	readonly searched: readonly [name: string, displayName: string];
}

const PLACES: Readonly<Record<Kind, Place>> = {
	user: {
		grants: grants.name,
		roles: grantRoles.name,
		subject: "user_id",
		join: "JOIN users o ON o.id = g.user_id AND o.tenant_id = g.tenant_id",
		name: "o.username",
		displayName: "o.display_name",
		searched: ["o.username_key", "o.display_name_folded"],
	},
	group: {
		grants: groupGrants.name,
		roles: groupGrantRoles.name,
		subject: "group_id",
		join: "JOIN user_groups o ON o.id = g.group_id AND o.tenant_id = g.tenant_id",
		name: "o.name",
		displayName: "''",
		searched: ["o.name_folded", "''"],
	},
	api_client: {
		grants: clientGrants.name,
		roles: clientGrantRoles.name,
		subject: "client_id",
		join: "JOIN api_clients o ON o.id = g.client_id AND o.tenant_id = g.tenant_id",
		name: "o.name",
		displayName: "''",
		searched: ["o.name_folded", "''"],
	},
	program: {
		grants: programGrants.name,
		roles: programGrantRoles.name,
		subject: "program_id",
		join: "JOIN applications o ON o.id = g.program_id AND o.tenant_id = g.tenant_id",
		name: "o.name",
		displayName: "''",
		searched: ["o.name_folded", "''"],
	},
};

const COLUMNS = "g.id, g.tenant_id, g.app_id, g.created_at, g.updated_at";
const ROW = grants.without("userId").columns;
const NAMED = {
	columns: `${ROW}, kind, subject_id AS "subjectId", subject_name AS "subjectName", display_name AS "displayName"`,
	from: `(${GRANT_KINDS.map(named).join(" UNION ALL ")}) held`,
	order: "created_at DESC, id DESC",
};

/** The grants of one kind, with the names of their subjects. */
function named(kind: Kind): string {
	const { grants, subject, join, name, displayName, searched } = PLACES[kind];
	return `SELECT ${COLUMNS}, '${kind}' AS kind, g.${subject} AS subject_id, ${name} AS subject_name,
		${displayName} AS display_name, ${searched[0]} AS searched_name, ${searched[1]} AS searched_display_name FROM ${grants} g ${join}`;
}

const OF_GROUP = {
	columns: `g.id, g.app_id AS "appId", a.name AS "appName", g.group_id AS "groupId",
		g.created_at AS "createdAtMs", g.updated_at AS "updatedAtMs"`,
	from: "group_grants g JOIN applications a ON a.id = g.app_id",
	order: "g.created_at DESC, g.id DESC",
};
/** `$1` is the tenant, `$2` the user. */
const HELD = {
	columns: `held.id, held.app_id AS "appId", a.name AS "appName", held.group_id AS "groupId", o.name AS "groupName",
		held.created_at AS "createdAtMs", held.updated_at AS "updatedAtMs"`,
	from: `(SELECT g.id, g.tenant_id, g.app_id, m.user_id, g.group_id, g.created_at, g.updated_at
			FROM group_members m JOIN group_grants g ON g.group_id = m.group_id AND g.tenant_id = m.tenant_id
			WHERE m.user_id = $2 AND m.tenant_id = $1
		UNION ALL SELECT id, tenant_id, app_id, user_id, NULL, created_at, updated_at
			FROM grants WHERE user_id = $2 AND tenant_id = $1) held
		JOIN applications a ON a.id = held.app_id LEFT JOIN user_groups o ON o.id = held.group_id`,
	order: "held.created_at DESC, held.id DESC",
};

export function createGrantStore(queries: Queries): GrantStore {
	const listHeldGrants = async (select: ListSql, page: PageQuery): Promise<Page<HeldGrant>> => {
		const held = await listPage<HeldRow, HeldRow>(queries, select, page, (row) => row);
		const kindOf = (row: HeldRow) => ({ ...row, kind: row.groupId === null ? "user" : "group" }) as const;
		const rolesOf = await loadRoles(queries, held.items.map(kindOf));
		return mapPage(held, (row) => ({ ...row, ...rolesOf(row) }));
	};
	return {
		put: (grant) => put(queries, PLACES[grant.subject.kind], grant),
		async find(tenantId, appId, { kind, id }) {
			const { grants, subject } = PLACES[kind];
			const row = await queries.one<GrantRow>(
				`SELECT ${ROW}, '${kind}' AS kind, ${subject} AS "subjectId" FROM ${grants} WHERE app_id = $1 AND ${subject} = $2 AND tenant_id = $3`,
				appId,
				id,
				tenantId,
			);
			return row && (await withRoles(queries, [row]))[0];
		},
		async list({ tenantId, appId, q, kind }, page) {
			const filter = new Filter()
				// The list reads and sorts all grants of the application.
				.separately()
				.add("app_id = ? AND tenant_id = ?", appId, tenantId)
				.contains(["searched_name", "searched_display_name"], q)
				.maybe("kind = ?", kind);
			const select = { ...NAMED, filter };
			const named = await listPage<NamedRow, NamedRow>(queries, select, page, (row) => row);
			return { ...named, items: await withRoles(queries, named.items) };
		},
		listOfGroup(tenantId, groupId, page) {
			const filter = new Filter().add("g.group_id = ? AND g.tenant_id = ?", groupId, tenantId);
			return listHeldGrants({ ...OF_GROUP, filter }, page);
		},
		listHeld(tenantId, userId, page) {
			const filter = new Filter().add("held.tenant_id = ? AND held.user_id = ?", tenantId, userId);
			return listHeldGrants({ ...HELD, filter }, page);
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

type GrantToPut = Parameters<GrantStore["put"]>[0];

async function put(queries: Queries, place: Place, grant: GrantToPut): ReturnType<GrantStore["put"]> {
	const { id, roleIds } = await holdGrant(queries, place, grant);
	const before = new Set(roleIds);
	const after = new Set(grant.roleIds);
	const removed = [...before].filter((role) => !after.has(role));
	const added = [...after].filter((role) => !before.has(role));
	for (const role of removed)
		await queries.run(
			`DELETE FROM ${place.roles} WHERE grant_id = $1 AND role_id = $2 AND tenant_id = $3`,
			id,
			role,
			grant.tenantId,
		);
	for (const role of added) {
		await queries.run(
			`INSERT INTO ${place.roles} (tenant_id, grant_id, role_id)
			 SELECT r.tenant_id, CAST($1 AS TEXT), r.id FROM application_roles r WHERE r.id = $2 AND r.app_id = $3 AND r.tenant_id = $4`,
			id,
			role,
			grant.appId,
			grant.tenantId,
		);
	}
	const previousRoleIds = roleIds;
	if (id === grant.id) return { outcome: "created", previousRoleIds };
	if (removed.length + added.length === 0) return { outcome: "unchanged", previousRoleIds };
	await queries.run(
		`UPDATE ${place.grants} SET updated_at = $2 WHERE id = $1 AND tenant_id = $3`,
		id,
		grant.updatedAtMs,
		grant.tenantId,
	);
	return { outcome: "changed", previousRoleIds };
}

/** Inserts the grant, or locks the existing grant of the subject, so that a second PUT waits until this one commits. */
async function holdGrant(
	queries: Queries,
	{ grants, roles, subject }: Place,
	grant: GrantToPut,
): Promise<{ readonly id: string; readonly roleIds: readonly string[] }> {
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
	const roleIds = held.map((row) => row.role_id).filter((role) => role !== null);
	return { id: held[0]?.id ?? grant.id, roleIds };
}

async function withRoles<Row extends GrantRow>(queries: Queries, rows: readonly Row[]) {
	const rolesOf = await loadRoles(queries, rows);
	return rows.map(({ kind, subjectId: id, ...row }) => ({ ...row, ...rolesOf(row), subject: { kind, id } }));
}

/** Reads the roles of a whole page with one statement per kind. @returns a function that returns the roles of a grant. */
async function loadRoles(
	queries: Queries,
	rows: readonly Pick<GrantRow, "id" | "kind">[],
): Promise<(row: Pick<Grant, "id">) => Pick<Grant, "roles" | "roleIds">> {
	const byKind = Object.entries(Object.groupBy(rows, ({ kind }) => kind));
	const held = await Promise.all(
		byKind.map(([kind, ofKind]) => selectRoles(queries, PLACES[kind as Kind].roles, ofKind)),
	);
	const rolesById = Map.groupBy(held.flat(), (role) => role.grant_id);
	return ({ id }) => {
		const roles = (rolesById.get(id) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
		return { roles: roles.map(({ name }) => name), roleIds: roles.map(({ role_id }) => role_id) };
	};
}

async function selectRoles(
	queries: Queries,
	table: string,
	rows: readonly Pick<Grant, "id">[],
): Promise<{ grant_id: string; role_id: string; name: string }[]> {
	return queries.all(
		`SELECT gr.grant_id, gr.role_id, r.name FROM ${table} gr JOIN application_roles r ON r.id = gr.role_id
		 WHERE gr.grant_id IN (${rows.map((_, index) => `$${index + 1}`).join(", ")})`,
		...rows.map((row) => row.id),
	);
}
