// Applications and their roles in SQL.

import {
	type Application,
	type ApplicationStore,
	type ApplicationUsage,
	NOT_REQUESTABLE,
	USAGE_COUNT_MAX,
} from "../../domain/application.ts";
import type { ApplicationRoleStore } from "../../domain/application-role.ts";
import { listPage } from "../sql/page.ts";
import { places } from "../sql/parameter-lists.ts";
import { type Queries, statement } from "../sql/queries.ts";
import {
	applications,
	clientGrants,
	grants,
	groupGrants,
	programGrants,
	applicationRoles as roles,
} from "../sql/tables/access-tables.ts";
import { apiClients } from "../sql/tables/partner-tables.ts";
import { images } from "../sql/tables/platform-tables.ts";
import { EARLIER_END } from "./grant-store.ts";
import type { TenantTime } from "./tenant-time.ts";

const USABLE_BY = `status = 'active' AND (access_policy = 'open'
	OR id IN (SELECT app_id FROM grants WHERE user_id = ? AND tenant_id = ? AND (expires_at IS NULL OR expires_at > ?))
	OR id IN (SELECT g.app_id FROM group_members m JOIN group_grants g ON g.group_id = m.group_id AND g.tenant_id = m.tenant_id
		WHERE m.user_id = ? AND m.tenant_id = ? AND (${EARLIER_END} IS NULL OR ${EARLIER_END} > ?)))`;

const HAS_CLIENT_SECRET =
	"id IN (SELECT application_id FROM oauth_clients WHERE tenant_id = ? AND secret_hint <> '')";

/** Each count reads a bounded part of an index. `$1` is the tenant; the ids of the applications follow. */
const some = (rows: string): string => `SELECT user_id FROM (${rows} LIMIT ${USAGE_COUNT_MAX}) AS some_users`;
const USAGE = `SELECT a.id,
	CASE WHEN c.type <> 'service' THEN 'openid' WHEN g.browser_origin IS NOT NULL THEN 'gate' ELSE 'none' END AS "signIn",
	(SELECT count(*) FROM (
		${some("SELECT user_id FROM grants WHERE app_id = a.id")}
		UNION ${some(`SELECT DISTINCT m.user_id FROM group_grants g JOIN group_members m ON m.group_id = g.group_id
			WHERE g.app_id = a.id`)}) AS users_of_app) AS users,
	(SELECT count(*) FROM (
		SELECT 1 FROM api_clients WHERE app_id = a.id LIMIT ${USAGE_COUNT_MAX}) AS some_clients) AS "apiClients"
	FROM applications a LEFT JOIN oauth_clients c ON c.application_id = a.id AND c.tenant_id = a.tenant_id
	LEFT JOIN gates g ON g.application_id = a.id AND g.tenant_id = a.tenant_id
	WHERE a.tenant_id = $1 AND a.id IN`;

const LISTED = { columns: applications.columns, from: applications.from, order: "created_at DESC, id DESC" };

interface ApplicationRow
	extends Omit<Application, "redirectUris" | "requestableRoleIds" | "requireMfa" | "supportSessions"> {
	readonly redirectUris: string;
	readonly requestableRoleIds: string | null;
	readonly requireMfa: number;
	readonly supportSessions: number;
}

/** Written by hand for the list: 5 % faster than the mapping of the table description. */
function toApplication(row: ApplicationRow): Application {
	return {
		...row,
		redirectUris: JSON.parse(row.redirectUris),
		requestableRoleIds: row.requestableRoleIds === null ? null : JSON.parse(row.requestableRoleIds),
		requireMfa: row.requireMfa === 1,
		supportSessions: row.supportSessions === 1,
	};
}

const NOTE_SIGN_IN = statement(
	`UPDATE applications SET last_sign_in_at = $2
	WHERE id = $1 AND (last_sign_in_at IS NULL OR last_sign_in_at <= $2)`,
	{ leavesCache: true },
);

export function createApplicationStore(queries: Queries, timeOf: TenantTime): ApplicationStore {
	return {
		insert: (application) =>
			applications.insertUnlessTaken(queries, {
				requireMfa: false,
				supportSessions: false,
				kind: "application",
				lastSignInAtMs: null,
				accessRequestId: null,
				managedBy: null,
				...NOT_REQUESTABLE,
				...application,
			}),
		findById: (tenantId, id) => applications.find(queries, { id, tenantId }),
		async list({ tenantId, q, status, isFromRequest, hasClientSecret, usableBy }, page) {
			const filter = applications.matching({ tenantId }).maybe("status = ?", status);
			if (isFromRequest !== undefined)
				filter.separately().add(`access_request_id IS ${isFromRequest ? "NOT " : ""}NULL`);
			if (hasClientSecret === true) filter.separately().add(HAS_CLIENT_SECRET, tenantId);
			if (usableBy !== undefined) {
				const held = [usableBy, tenantId, await timeOf(tenantId)];
				filter.add(USABLE_BY, ...held, ...held);
			}
			// The only index of the tenant's applications has their order.
			if (status !== undefined || usableBy !== undefined) filter.separately();
			const select = { ...LISTED, filter: filter.contains(["name_folded", "slug"], q) };
			return listPage(queries, select, page, toApplication);
		},
		async listUsage(tenantId, ids) {
			if (ids.length === 0) return new Map();
			const sql = statement(`${USAGE} (${places(ids, 2)})`, { reads: "separately" });
			const rows = await queries.all<ApplicationUsage & { readonly id: string }>(sql, tenantId, ...ids);
			return new Map(
				rows.map(({ id, users, ...usage }) => [id, { ...usage, users: Math.min(users, USAGE_COUNT_MAX) }]),
			);
		},
		update(tenantId, id, changes, nowMs) {
			const row = { ...changes, updatedAtMs: nowMs };
			return applications.updateUnlessTaken(queries, row, { id, tenantId }, "slug_taken");
		},
		async noteSignIns(signIns) {
			// Sort, so that two nodes cannot deadlock.
			for (const { appId, atMs } of signIns.toSorted((a, b) => (a.appId < b.appId ? -1 : 1)))
				await queries.run(NOTE_SIGN_IN, appId, atMs);
		},
		/** Deletes the children explicitly to count them; the foreign keys would delete them too. */
		async remove(tenantId, id) {
			const ofApplication = { appId: id, tenantId };
			// The expression keeps the planner away from the indexes over all of the tenant's clients.
			const ofApp = "app_id = $1 AND ('' || tenant_id) = $2";
			let deletedGrants = 0;
			for (const table of [grants, groupGrants, clientGrants, programGrants])
				deletedGrants += await table.delete(queries, ofApplication);
			const clients = await apiClients.delete(queries, ofApp, id, tenantId);
			await images.delete(queries, { subjectId: id, tenantId });
			const deletedRoles = await roles.delete(queries, ofApplication);
			if (!(await applications.deleteOne(queries, { id, tenantId }))) return undefined;
			return { roles: deletedRoles, grants: deletedGrants, apiClients: clients };
		},
	};
}

export function createApplicationRoleStore(queries: Queries): ApplicationRoleStore {
	return {
		async countForInsert(tenantId, appId) {
			await applications.lock(queries, { id: appId, tenantId });
			return roles.count(queries, { appId, tenantId });
		},
		insert: (role) => roles.insertUnlessTaken(queries, role),
		findById: (tenantId, appId, id) => roles.find(queries, { appId, tenantId, id }),
		listAll: (tenantId, appId) =>
			roles.all(queries, "app_id = $1 AND tenant_id = $2 ORDER BY name, id", appId, tenantId),
		list: (tenantId, appId, page) =>
			roles.list(queries, { filter: roles.matching({ appId, tenantId }) }, page),
		update(tenantId, appId, id, changes, nowMs) {
			const row = { ...changes, updatedAtMs: nowMs };
			return roles.updateUnlessTaken(queries, row, { appId, tenantId, id }, "name_taken");
		},
		remove: (tenantId, appId, id) => roles.deleteOne(queries, { appId, tenantId, id }),
	};
}
