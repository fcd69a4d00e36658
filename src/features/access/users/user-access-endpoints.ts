// `/users/{id}/grants`, `/users/{id}/groups` and `/users/me/grants`: the access of a user, and where it comes from.

import type { Administrator } from "../../../domain/caller.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { getUser } from "../../../domain/user.ts";
import { empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { timeText } from "../../../http/describe/query-parameters.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { grantOrder } from "../applications/grant-wire.ts";
import { giveBackGrant } from "../applications/manage-grant.ts";
import { heldGrantSchema, toWireHeldGrant, toWireUserGroup, userGroupSchema } from "./user-access-wire.ts";

const ids = { id: "user.not_found" } as const;

export function userAccessEndpoints(platform: Platform) {
	const { users, grants, groups } = platform.db.stores;
	return {
		listMyGrants: endpoint<SignedIn>()({
			name: "listMyGrants",
			summary: "List the current user's grants",
			description:
				"Lists the applications that the user may use, with the roles and the group of each grant. An `open` application requires no grant. Tokens issued for an application are refused.",
			response: page(heldGrantSchema, "Grants, newest first."),
			errors: ["application.token"],
			async handle({ caller, page }) {
				checkInPerson(caller, "read the user's access to other applications");
				return mapPage(await grants.listHeld(caller.tenantId, caller.userId, page), toWireHeldGrant);
			},
		}),

		giveBackGrant: endpoint<SignedIn>()({
			name: "giveBackGrant",
			summary: "Give back a grant",
			description:
				"Removes a grant of the current user's own. Grants of groups remain: an administrator removes the user from the group. Tokens issued for an application are refused.",
			ids: { id: "grant.not_found" },
			response: empty(204, "The grant is removed."),
			errors: ["application.token", "grant.of_group"],
			async handle({ caller, ids: { id } }) {
				checkInPerson(caller, "give back the user's access to other applications");
				await giveBackGrant(platform, caller.userId, id, caller);
			},
		}),

		listGrants: endpoint<Administrator>()({
			name: "listUserGrants",
			summary: "List the grants of a user",
			description:
				"Lists the user's own grants and the grants of their groups. An `open` application requires no grant. A grant has no effect while the user or the application is disabled: `POST /access/explain` shows the decision.",
			ids,
			query: {
				expires_before: timeText("Only grants that end before this time."),
				sort: grantOrder,
			},
			response: page(heldGrantSchema, "Grants, with the end of a membership that ends earlier."),
			async handle({ caller: { tenantId }, ids: { id }, query: { sort, expires_before }, page }) {
				await getUser(users, tenantId, id);
				const query = {
					...(sort !== undefined && { sort }),
					...(expires_before !== undefined && { expiresBeforeMs: expires_before }),
				};
				return mapPage(await grants.listHeld(tenantId, id, page, query), toWireHeldGrant);
			},
		}),

		listGroups: endpoint<Administrator>()({
			name: "listUserGroups",
			summary: "List the groups of a user",
			ids,
			query: { sort: grantOrder },
			response: page(userGroupSchema, "Groups that the user is a member of, most recently added first."),
			async handle({ caller: { tenantId }, ids: { id }, query: { sort }, page }) {
				await getUser(users, tenantId, id);
				return mapPage(await groups.listOfUser(tenantId, id, page, sort), toWireUserGroup);
			},
		}),
	};
}
