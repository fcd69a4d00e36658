// `/applications/{id}/grants`: who may use an application, and with which of its roles.

import { data, empty, endpoint, page } from "../../http/endpoint.ts";
import { list, object, optional, text } from "../../http/schema.ts";
import type { SignedIn } from "../auth/model.ts";
import { grantSchema, toWireGrant } from "./application-wire.ts";
import { adminContext, applicationNotFound, GRANT_ROLES_MAX, ROLE_NAME_MAX } from "./model.ts";
import { type PutGrantDeps, putGrant } from "./put-grant.ts";
import { type RemoveGrantDeps, removeGrant } from "./remove-grant.ts";

export type GrantsDeps = PutGrantDeps & RemoveGrantDeps;

const putBody = object({
	roles: optional(
		list(text({ max: ROLE_NAME_MAX }), {
			max: GRANT_ROLES_MAX,
			description: "Names or ids of the application's roles; none unless given.",
			examples: [["editor"]],
		}),
	),
});
const ofUser = { id: "application.not_found", user_id: "user.not_found" } as const;

export function grantsEndpoints(deps: GrantsDeps) {
	const { applications, grants } = deps.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listGrants",
			summary: "List who may use an application",
			ids: { id: "application.not_found" },
			answer: page(grantSchema, "Grants, newest first."),
			async handle({ caller: { tenantId }, ids: { id }, page: asked }) {
				const appId = id as string;
				if ((await applications.findById(tenantId, appId)) === undefined) throw applicationNotFound();
				const found = await grants.list(tenantId, appId, asked);
				return { items: found.items.map(toWireGrant), total: found.total };
			},
		}),

		put: endpoint<SignedIn>()({
			name: "putUserGrant",
			summary: "Grant a user an application",
			description:
				"Makes the grant, or replaces the roles of the one that stands; the same again changes nothing. An `open` application needs no grant to be used, but roles come by grants only.",
			ids: ofUser,
			body: putBody,
			answer: data(200, grantSchema, "The grant as it is now."),
			async handle({ caller, ids, body, request }) {
				const subject = { appId: ids.id as string, userId: ids.user_id as string };
				return toWireGrant(await putGrant(deps, subject, body.roles ?? [], adminContext(caller, request)));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteUserGrant",
			summary: "Take an application away from a user",
			description:
				"Counts at once in every access decision; a session signed in to the application ends at its next refresh.",
			ids: ofUser,
			answer: empty(204, "The grant is gone."),
			errors: ["grant.not_found"],
			handle({ caller, ids, request }) {
				const subject = { appId: ids.id as string, userId: ids.user_id as string };
				return removeGrant(deps, subject, adminContext(caller, request));
			},
		}),
	};
}
