// Applications in SQL.

import type { Application, ApplicationStore, RemovedWithApplication } from "../../domain/application.ts";
import type { Queries } from "../sql/engine.ts";
import { Filter, listPage } from "../sql/page.ts";
import { unlessTaken } from "../sql/table.ts";
import { applicationRoles, applications, grants, groupGrants } from "../sql/tables/access-tables.ts";
import { apiClients } from "../sql/tables/partner-tables.ts";

const THIS_APPLICATION = "id = $1 AND tenant_id = $2";
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
		insert: (application) =>
			applications.insertUnlessTaken(queries, {
				...application,
				requireMfa: application.requireMfa ?? false,
			}),
		findById: (tenantId, id) => applications.find(queries, THIS_APPLICATION, id, tenantId),
		list({ tenantId, q, status, usableBy }, page) {
			const filter = new Filter().add("tenant_id = ?", tenantId).maybe("status = ?", status);
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
			const update = applications.updateOne(queries, row, THIS_APPLICATION, id, tenantId);
			return unlessTaken(
				update.then((done) => (done ? "updated" : "missing")),
				() => "slug_taken",
			);
		},
		remove: (tenantId, id) => remove(queries, id, tenantId),
	};
}

/** Deletes the children itself, although the foreign keys would, to count them. */
async function remove(
	queries: Queries,
	...place: readonly [id: string, tenantId: string]
): Promise<RemovedWithApplication | undefined> {
	const ofApplication = "app_id = $1 AND tenant_id = $2";
	const clients = await apiClients.delete(queries, ofApplication, ...place);
	const grantsToUsers = await grants.delete(queries, ofApplication, ...place);
	const grantsToGroups = await groupGrants.delete(queries, ofApplication, ...place);
	const roles = await applicationRoles.delete(queries, ofApplication, ...place);
	const removed = await applications.deleteOne(queries, THIS_APPLICATION, ...place);
	return removed ? { roles, grants: grantsToUsers + grantsToGroups, apiClients: clients } : undefined;
}
