// Applications in SQL.

import type { Application, ApplicationStore } from "../../domain/application.ts";
import type { Queries } from "../sql/engine.ts";
import { listPage } from "../sql/page.ts";
import { applicationRoles, applications, grants, groupGrants } from "../sql/tables/access-tables.ts";
import { apiClients } from "../sql/tables/partner-tables.ts";

const USABLE_BY = `status = 'active' AND (access_policy = 'open'
	OR id IN (SELECT app_id FROM grants WHERE user_id = ? AND tenant_id = ?)
	OR id IN (SELECT gg.app_id FROM group_members m JOIN group_grants gg ON gg.group_id = m.group_id AND gg.tenant_id = m.tenant_id
		WHERE m.user_id = ? AND m.tenant_id = ?))`;

const LISTED = { columns: applications.columns, from: applications.from, order: "created_at DESC, id DESC" };

/** As it is stored. */
interface ApplicationRow extends Omit<Application, "redirectUris" | "requireMfa"> {
	readonly redirectUris: string;
	readonly requireMfa: number;
}

/** Written by hand for the list: a twentieth faster than the description's own mapping. */
function toApplication(row: ApplicationRow): Application {
	return { ...row, redirectUris: JSON.parse(row.redirectUris), requireMfa: row.requireMfa === 1 };
}

const redirectUriLists = applications.pick("redirectUris");

export function createApplicationStore(queries: Queries): ApplicationStore {
	return {
		insert: (application) => applications.insertUnlessTaken(queries, { requireMfa: false, ...application }),
		findById: (tenantId, id) => applications.find(queries, { id, tenantId }),
		list({ tenantId, q, status, usableBy }, page) {
			const filter = applications.matching({ tenantId }).maybe("status = ?", status);
			if (usableBy !== undefined) filter.add(USABLE_BY, usableBy, tenantId, usableBy, tenantId);
			const select = { ...LISTED, filter: filter.contains(["name", "slug"], q) };
			return listPage(queries, select, page, toApplication);
		},
		async hasRedirectUri(tenantId, redirectUri, appId) {
			// LIKE ignores case on one of the engines, so its results are compared again.
			const part = JSON.stringify(redirectUri).replaceAll(/[\\%_]/g, "\\$&");
			const lists = await redirectUriLists.all(
				queries,
				`tenant_id = $1 AND status = 'active' AND redirect_uris LIKE CAST($2 AS TEXT) ESCAPE '\\'
				 ${appId === null ? "" : "AND id = $3"}`,
				tenantId,
				`%${part}%`,
				...(appId === null ? [] : [appId]),
			);
			return lists.some(({ redirectUris }) => redirectUris.includes(redirectUri));
		},
		update(tenantId, id, changes, nowMs) {
			const row = { ...changes, updatedAtMs: nowMs };
			return applications.updateUnlessTaken(queries, row, { id, tenantId }, "slug_taken");
		},
		/** Deletes the children itself, although the foreign keys would, to count them. */
		async remove(tenantId, id) {
			const ofApplication = { appId: id, tenantId };
			// Keeps the planner from the indexes over all clients of the tenant.
			const clients = await apiClients.delete(
				queries,
				"app_id = $1 AND ('' || tenant_id) = $2",
				id,
				tenantId,
			);
			const grantsToUsers = await grants.delete(queries, ofApplication);
			const grantsToGroups = await groupGrants.delete(queries, ofApplication);
			const roles = await applicationRoles.delete(queries, ofApplication);
			const removed = await applications.deleteOne(queries, { id, tenantId });
			return removed ? { roles, grants: grantsToUsers + grantsToGroups, apiClients: clients } : undefined;
		},
	};
}
