// Grants in SQL: who may use which applications, and with which roles.

import {
	type EndedGrant,
	GRANT_KINDS,
	type Grant,
	type GrantStore,
	type GrantSubject,
	type GrantTerms,
	type GrantToPut,
	type HeldGrant,
	type NamedGrant,
	type PreviousGrant,
} from "../../domain/grant.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { mapPage, type Page, type PageQuery } from "../../kernel/page.ts";
import { Filter, listRows } from "../sql/page.ts";
import { places } from "../sql/parameter-lists.ts";
import { type Queries, type Statement, statement } from "../sql/queries.ts";
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
import type { TenantTime } from "./tenant-time.ts";

type Kind = GrantSubject["kind"];

interface GrantRow extends Omit<Grant, "subject" | "roles" | "roleIds"> {
	readonly kind: Kind;
	readonly subjectId: string;
}

type NamedRow = GrantRow & Pick<NamedGrant, "subjectName" | "displayName">;
type HeldRow = Omit<HeldGrant, "roles" | "roleIds">;
type ListSql = Parameters<typeof listRows>[1];

/** The tables of a kind of grant, which have the same columns under different names. */
interface Place {
	readonly grants: Pick<typeof grants, "name" | "delete" | "update">;
	readonly roles: Pick<typeof grantRoles, "name" | "delete">;
	/** The column that names the subject. */
	readonly subject: string;
	/** Joins the subject as `o`, with its name and display name. */
	readonly join: string;
	readonly name: string;
	readonly displayName: string;
	/** Both names, folded. */
	readonly searched: readonly [name: string, displayName: string];
}

/** Of subjects with one name. */
const placeOf = (kind: "user" | "group" | "client" | "program", subjects: string) => ({
	subject: `${kind}_id`,
	join: `JOIN ${subjects} o ON o.id = g.${kind}_id AND o.tenant_id = g.tenant_id`,
	name: "o.name",
	displayName: "''",
	searched: ["o.name_folded", "''"] as const,
});

export const PLACES: Readonly<Record<Kind, Place>> = {
	user: {
		...placeOf("user", "users"),
		grants,
		roles: grantRoles,
		name: "o.username",
		displayName: "o.display_name",
		searched: ["o.username_key", "o.display_name_folded"],
	},
	group: { ...placeOf("group", "user_groups"), grants: groupGrants, roles: groupGrantRoles },
	api_client: { ...placeOf("client", "api_clients"), grants: clientGrants, roles: clientGrantRoles },
	program: { ...placeOf("program", "applications"), grants: programGrants, roles: programGrantRoles },
};

const ROW = grants.without("userId", "noticedEndMs").columns;
/** Of all kinds, for the union that `ROW` reads. */
const COLUMNS = grants
	.without("userId", "noticedEndMs")
	.fields.map(({ column }) => `g.${column}`)
	.join(", ");
const grantTerms = grants.pick("expiresAtMs", "reason", "requestId").as("g");
const TERMS = grants.pick("expiresAtMs", "reason", "requestId", "grantedBy", "lastUsedAtMs");
/** Its parameter is the time of the tenant. */
const LASTS = "(expires_at IS NULL OR expires_at > ?)";
const LASTED = LASTS.replace("?", "$4");
const MEMBER = `user_id = $3 AND tenant_id = $1 AND ${LASTED}`;
/** @param of the alias of the rows, with a dot */
export const grantOrders = (of: string, added = "created_at", id = "id") => {
	const newest = `${of}${added} DESC, ${of}${id} DESC`;
	return { newest, expires_at: `${of}expires_at IS NULL ASC, ${of}expires_at ASC, ${newest}` };
};
const ORDER = grantOrders("");
const NAMED = `${ROW}, kind, subject_id AS "subjectId", subject_name AS "subjectName", display_name AS "displayName"`;

/** The grants of one kind, with the names of their subjects. */
function named(kind: Kind): string {
	const { grants, subject, join, name, displayName, searched } = PLACES[kind];
	return `SELECT ${COLUMNS}, '${kind}' AS kind, g.${subject} AS subject_id, ${name} AS subject_name,
		${displayName} AS display_name, ${searched[0]} AS searched_name, ${searched[1]} AS searched_display_name FROM ${grants.name} g ${join}`;
}

const OF_GROUP = {
	columns: `g.id, g.app_id AS "appId", a.name AS "appName", g.group_id AS "groupId",
		${TERMS.as("g").columns}, g.created_at AS "createdAtMs", g.updated_at AS "updatedAtMs"`,
	from: "group_grants g JOIN applications a ON a.id = g.app_id",
};
const OF_GROUP_ORDER = grantOrders("g.");
/** When access by a membership `m` and a grant `g` of the group ends. */
export const EARLIER_END =
	"CASE WHEN m.expires_at < g.expires_at OR g.expires_at IS NULL THEN m.expires_at ELSE g.expires_at END";
/** A member uses several grants, and several members a grant: at the latest, the member used the grant then. */
export const USED_BY_MEMBER =
	"CASE WHEN m.last_used_at <= g.last_used_at THEN m.last_used_at WHEN m.last_used_at > g.last_used_at THEN g.last_used_at END";
/** `$1` is the tenant, `$2` the user. */
const HELD = {
	columns: `held.id, held.app_id AS "appId", a.name AS "appName", held.group_id AS "groupId", o.name AS "groupName",
		${TERMS.as("held").columns}, held.created_at AS "createdAtMs", held.updated_at AS "updatedAtMs"`,
	from: `(SELECT g.id, g.tenant_id, g.app_id, m.user_id, g.group_id, ${EARLIER_END} AS expires_at, g.reason, g.request_id,
				g.granted_by, ${USED_BY_MEMBER} AS last_used_at, g.created_at, g.updated_at
			FROM group_members m JOIN group_grants g ON g.group_id = m.group_id AND g.tenant_id = m.tenant_id
			WHERE m.user_id = $2 AND m.tenant_id = $1
		UNION ALL SELECT id, tenant_id, app_id, user_id, NULL, expires_at, reason, request_id, granted_by, last_used_at,
				created_at, updated_at
			FROM grants WHERE user_id = $2 AND tenant_id = $1) held
		JOIN applications a ON a.id = held.app_id LEFT JOIN user_groups o ON o.id = held.group_id`,
};
const HELD_ORDER = grantOrders("held.");

const TAKE_ENDED = Object.fromEntries(GRANT_KINDS.map((kind) => [kind, takeEnded(PLACES[kind])])) as Readonly<
	Record<Kind, Statement>
>;

function takeEnded({ grants, subject }: Place): Statement {
	const ended = `SELECT id, tenant_id FROM ${grants.name} WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED`;
	return statement(
		`DELETE FROM ${grants.name} WHERE (id, tenant_id) IN (${ended})
		 RETURNING id, tenant_id AS "tenantId", app_id AS "appId", ${subject} AS "subjectId", expires_at AS "expiresAtMs"`,
		{ isWrite: true },
	);
}

/** The grants that a subject uses. Parameters: tenant, application, subject, the time of the use, and the beginning of its day. */
const NOTE_USE = Object.fromEntries(
	GRANT_KINDS.map((kind) => {
		const { grants, subject } = PLACES[kind];
		const held = kind === "group" ? `IN (SELECT group_id FROM group_members WHERE ${MEMBER})` : "= $3";
		const ofSubject = `app_id = $2 AND ${subject} ${held} AND tenant_id = $1`;
		return [kind, noteUse(grants.name, "id, tenant_id", ofSubject)];
	}),
) as Readonly<Record<Kind, Statement>>;
const NOTE_MEMBER = noteUse(
	"group_members",
	"group_id, user_id",
	`${MEMBER} AND EXISTS (SELECT 1 FROM group_grants g
		WHERE g.app_id = $2 AND g.group_id = group_members.group_id AND g.tenant_id = $1
			AND ${LASTED.replaceAll("expires_at", "g.expires_at")})`,
);

const NOTE_SEEN = statement(
	`UPDATE users SET last_seen_at = $3 WHERE id = $2 AND tenant_id = $1 AND (last_seen_at IS NULL OR last_seen_at < $4)`,
	{ leavesCache: true },
);

function noteUse(table: string, key: string, condition: string): Statement {
	const used = `SELECT ${key} FROM ${table} WHERE ${condition} AND ${LASTED}
		AND (last_used_at IS NULL OR last_used_at < $5) FOR UPDATE SKIP LOCKED`;
	return statement(`UPDATE ${table} SET last_used_at = $4 WHERE (${key}) IN (${used})`, {
		leavesCache: true,
	});
}

export function createGrantStore(queries: Queries, timeOf: TenantTime): GrantStore {
	const listHeldGrants = async (select: ListSql, page: PageQuery): Promise<Page<HeldGrant>> => {
		const held = await listRows<HeldRow>(queries, select, page);
		const kindOf = (row: HeldRow) => ({ ...row, kind: row.groupId === null ? "user" : "group" }) as const;
		const rolesOf = await loadRoles(queries, held.items.map(kindOf));
		return mapPage(held, (row) => ({ ...row, ...rolesOf(row) }));
	};
	const find = async (tenantId: string, appId: string, { kind, id }: GrantSubject, lock = "") => {
		const { grants, subject } = PLACES[kind];
		const row = await queries.one<GrantRow>(
			`SELECT ${ROW}, '${kind}' AS kind, ${subject} AS "subjectId" FROM ${grants.name}
			 WHERE app_id = $1 AND ${subject} = $2 AND tenant_id = $3 AND ${LASTS.replace("?", "$4")}${lock}`,
			appId,
			id,
			tenantId,
			await timeOf(tenantId),
		);
		return row && (await withRoles(queries, [row]))[0];
	};
	const remove = async (tenantId: string, appId: string, subject: GrantSubject, onlyId?: string) => {
		// Locked: its roles cannot change until it is removed.
		const grant = await find(tenantId, appId, subject, " FOR UPDATE");
		// Another grant may have replaced the one that the caller read.
		if (grant === undefined || (onlyId ?? grant.id) !== grant.id) return undefined;
		await PLACES[subject.kind].grants.delete(queries, { id: grant.id, tenantId });
		return grant;
	};
	return {
		now: timeOf,
		put: async (grant) => put(queries, PLACES[grant.subject.kind], grant, await timeOf(grant.tenantId)),
		find: (tenantId, appId, subject) => find(tenantId, appId, subject),
		async list({ tenantId, appId, q, kind, sort = "newest", expiresBeforeMs, unusedSinceMs }, page) {
			const filter = new Filter()
				// The list reads and sorts all grants of the application.
				.separately()
				.add("app_id = ? AND tenant_id = ?", appId, tenantId)
				.add(LASTS, await timeOf(tenantId))
				.contains(["searched_name", "searched_display_name"], q)
				.maybe("expires_at < ?", expiresBeforeMs)
				.maybe("COALESCE(last_used_at, created_at) < ?", unusedSinceMs);
			const order = ORDER[page.after === undefined ? sort : "newest"];
			// PostgreSQL plans a list of all kinds in a millisecond, and does not keep the plan.
			const from = `(${(kind === undefined ? GRANT_KINDS : [kind]).map(named).join(" UNION ALL ")}) held`;
			const select = { columns: NAMED, from, order, filter };
			const rows = await listRows<NamedRow>(queries, select, page);
			return { ...rows, items: await withRoles(queries, rows.items) };
		},
		async listOfGroup(tenantId, groupId, page, sort = "newest") {
			const filter = new Filter()
				.add("g.group_id = ? AND g.tenant_id = ?", groupId, tenantId)
				.add(LASTS.replaceAll("expires_at", "g.expires_at"), await timeOf(tenantId));
			return listHeldGrants({ ...OF_GROUP, order: OF_GROUP_ORDER[sort], filter }, page);
		},
		async listHeld(tenantId, userId, page, { sort = "newest", expiresBeforeMs } = {}) {
			const filter = new Filter()
				.add("held.tenant_id = ? AND held.user_id = ?", tenantId, userId)
				.add(LASTS.replaceAll("expires_at", "held.expires_at"), await timeOf(tenantId))
				.maybe("held.expires_at < ?", expiresBeforeMs);
			return listHeldGrants({ ...HELD, order: HELD_ORDER[sort], filter }, page);
		},
		async takeEnded(nowMs, limit) {
			const taken: EndedGrant[] = [];
			for (const kind of GRANT_KINDS) {
				const rows = await queries.all<Omit<EndedGrant, "subject"> & { subjectId: string }>(
					TAKE_ENDED[kind],
					nowMs,
					limit - taken.length,
				);
				taken.push(...rows.map(({ subjectId: id, ...row }) => ({ ...row, subject: { kind, id } })));
			}
			return taken;
		},
		async noteUses(uses) {
			for (const { tenantId, appId, subject, atMs } of uses) {
				const noted = [tenantId, appId, subject.id, atMs, atMs - (atMs % DAY_MS)];
				await queries.run(NOTE_USE[subject.kind], ...noted);
				if (subject.kind !== "user") continue;
				await queries.run(NOTE_SEEN, tenantId, subject.id, atMs, atMs - (atMs % DAY_MS));
				await queries.run(NOTE_USE.group, ...noted);
				await queries.run(NOTE_MEMBER, ...noted);
			}
		},
		async removeOwn(tenantId, userId, id) {
			const own = await grants.find(queries, { id, userId, tenantId });
			const removed = own && (await remove(tenantId, own.appId, { kind: "user", id: userId }, id));
			if (removed !== undefined) return removed;
			const ofGroup = await queries.one<{ held: number }>(
				`SELECT 1 AS held FROM group_grants g JOIN group_members m ON m.group_id = g.group_id AND m.tenant_id = g.tenant_id
				 WHERE g.id = $1 AND g.tenant_id = $2 AND m.user_id = $3 AND (${EARLIER_END} IS NULL OR ${EARLIER_END} > $4)`,
				id,
				tenantId,
				userId,
				await timeOf(tenantId),
			);
			return ofGroup === undefined ? undefined : "of_group";
		},
		remove: (tenantId, appId, subject) => remove(tenantId, appId, subject),
	};
}

const NONE: PreviousGrant = { roleIds: [], expiresAtMs: null, reason: "", hasOtherRoles: false };

async function put(
	queries: Queries,
	place: Place,
	grant: GrantToPut,
	nowMs: number,
): ReturnType<GrantStore["put"]> {
	let held = await holdGrant(queries, place, grant);
	let replaced: EndedGrant | undefined;
	const { tenantId } = grant;
	if (held.expiresAtMs !== null && held.id !== grant.id && held.expiresAtMs <= nowMs) {
		const { id, expiresAtMs } = held;
		replaced = { id, tenantId, appId: grant.appId, subject: grant.subject, expiresAtMs };
		await place.grants.delete(queries, { id, tenantId });
		held = await holdGrant(queries, place, grant);
	}
	const { id } = held;
	const before = new Set(held.roleIds);
	const after = new Set(grant.roleIds);
	const removed = [...before].filter((role) => !after.has(role));
	const added = [...after].filter((role) => !before.has(role));
	for (const roleId of removed) await place.roles.delete(queries, { grantId: id, roleId, tenantId });
	for (const role of added) {
		await queries.run(
			`INSERT INTO ${place.roles.name} (tenant_id, grant_id, role_id)
			 SELECT r.tenant_id, CAST($1 AS TEXT), r.id FROM application_roles r WHERE r.id = $2 AND r.app_id = $3 AND r.tenant_id = $4`,
			id,
			role,
			grant.appId,
			tenantId,
		);
	}
	if (id === grant.id) return { outcome: "created", previous: NONE, ...(replaced && { replaced }) };
	const previous = { ...held, hasOtherRoles: removed.length + added.length > 0 };
	const { expiresAtMs = held.expiresAtMs, reason = held.reason, requestId = held.requestId } = grant;
	const hasOtherTerms =
		expiresAtMs !== held.expiresAtMs || reason !== held.reason || requestId !== held.requestId;
	if (!previous.hasOtherRoles && !hasOtherTerms) return { outcome: "unchanged", previous };
	const changes = { expiresAtMs, reason, requestId, updatedAtMs: grant.updatedAtMs };
	await place.grants.update(queries, changes, { id, tenantId });
	return { outcome: "changed", previous };
}

/** Inserts the grant, or locks the existing grant of the subject, so that a second PUT waits until this one commits. */
async function holdGrant(
	queries: Queries,
	{ grants, roles, subject }: Place,
	grant: GrantToPut,
): Promise<GrantTerms & Pick<Grant, "id" | "roleIds">> {
	const { expiresAtMs = null, reason = "", requestId = null } = grant;
	await queries.run(
		`INSERT INTO ${grants.name} (id, tenant_id, app_id, ${subject}, expires_at, reason, request_id, granted_by, created_at, updated_at)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		 ON CONFLICT (app_id, ${subject}) DO UPDATE SET updated_at = ${grants.name}.updated_at`,
		grant.id,
		grant.tenantId,
		grant.appId,
		grant.subject.id,
		expiresAtMs,
		reason,
		requestId,
		grant.grantedBy,
		grant.createdAtMs,
		grant.updatedAtMs,
	);
	const held = await queries.all<GrantTerms & { id: string; roleId: string | null }>(
		`SELECT g.id, ${grantTerms.columns}, gr.role_id AS "roleId" FROM ${grants.name} g LEFT JOIN ${roles.name} gr ON gr.grant_id = g.id
		 WHERE g.app_id = $1 AND g.${subject} = $2 AND g.tenant_id = $3`,
		grant.appId,
		grant.subject.id,
		grant.tenantId,
	);
	const [first] = held;
	if (first === undefined) throw new Error("a grant vanished while its row was locked");
	const { roleId: _, ...row } = first;
	return { ...row, roleIds: held.map(({ roleId }) => roleId).filter((role) => role !== null) };
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
		byKind.map(([kind, ofKind]) => selectRoles(queries, PLACES[kind as Kind].roles.name, ofKind)),
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
		 WHERE gr.grant_id IN (${places(rows, 1)})`,
		...rows.map((row) => row.id),
	);
}
