// People's requests for roles in SQL. The unique index and conditional UPDATEs decide races.

import type { OwnRequest, PersonRequestStore, RequestableApplication } from "../../domain/person-request.ts";
import { Filter, listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { applications } from "../sql/tables/access-tables.ts";
import { users } from "../sql/tables/account-tables.ts";
import { personRequests, storedPersonRequests } from "../sql/tables/request-tables.ts";

const OWN = personRequests.as("r");
const OWN_LIST = {
	columns: `${OWN.columns}, a.name AS "appName"`,
	from: "requests r JOIN applications a ON a.id = r.app_id",
	order: "r.created_at DESC, r.id DESC",
};

const APPLICATION = applications
	.pick(
		"id",
		"tenantId",
		"name",
		"description",
		"homepageUrl",
		"logoUrl",
		"accessPolicy",
		"status",
		"requestableRoleIds",
		"requestableLongest",
	)
	.as("a");
/** `$1` is the user. */
const REQUESTABLE = {
	columns: `${APPLICATION.columns}, (SELECT p.id FROM requests p
		WHERE p.user_id = $1 AND p.app_id = a.id AND p.status = 'pending') AS "pendingRequestId"`,
	from: "applications a",
	order: "a.name ASC, a.id ASC",
};
/** Grants of groups that do not end. */
const OF_GROUPS = `FROM group_members m JOIN group_grants g ON g.group_id = m.group_id AND g.tenant_id = m.tenant_id
	AND g.expires_at IS NULL AND m.expires_at IS NULL`;
/** A grant of the person without an end already allows what an approval would. Ids in the list contain no wildcard. */
const LACKS_A_ROLE = `NOT EXISTS (SELECT 1 FROM grants g WHERE g.user_id = ? AND g.app_id = a.id AND g.expires_at IS NULL)
	AND (EXISTS (SELECT 1 FROM application_roles o WHERE o.app_id = a.id AND a.requestable_role_ids LIKE '%' || o.id || '%'
			AND NOT EXISTS (SELECT 1 ${OF_GROUPS} JOIN group_grant_roles gr ON gr.grant_id = g.id
				WHERE m.user_id = ? AND g.app_id = a.id AND gr.role_id = o.id))
		OR (a.requestable_role_ids = '[]' AND a.access_policy = 'assigned'
			AND NOT EXISTS (SELECT 1 ${OF_GROUPS} WHERE m.user_id = ? AND g.app_id = a.id)))`;

export function createPersonRequestStore(queries: Queries): PersonRequestStore {
	return {
		insert: (request) => storedPersonRequests.insertUnlessTaken(queries, { ...request, kind: "person" }),
		async countPending(tenantId, userId) {
			await users.lock(queries, { id: userId, tenantId });
			return personRequests.count(
				queries,
				"user_id = $1 AND tenant_id = $2 AND status = 'pending'",
				userId,
				tenantId,
			);
		},
		list(tenantId, userId, page) {
			const filter = OWN.matching({ tenantId, userId });
			return listPage<object, OwnRequest>(queries, { ...OWN_LIST, filter }, page, (row) =>
				OWN.readJoined<Pick<OwnRequest, "appName">>(row),
			);
		},
		withdraw: (tenantId, userId, id, nowMs) =>
			personRequests.updateReturning(
				queries,
				{ status: "withdrawn", updatedAtMs: nowMs },
				{ id, tenantId, userId, status: "pending" },
			),
		listRequestable(tenantId, userId, page) {
			const filter = new Filter()
				.separately()
				.add(LACKS_A_ROLE, userId, userId, userId)
				.add("a.tenant_id = ? AND a.status = 'active' AND a.requestable_role_ids IS NOT NULL", tenantId);
			return listPage<object, RequestableApplication>(queries, { ...REQUESTABLE, filter }, page, (row) =>
				APPLICATION.readJoined<Pick<RequestableApplication, "pendingRequestId">>(row),
			);
		},
	};
}
