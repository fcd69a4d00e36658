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
const ofGroup = { id: "application.not_found", group_id: "group.not_found" } as const;

export function grantsEndpoints(deps: GrantsDeps) {
	const { applications, grants } = deps.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listGrants",
			summary: "List who may use an application",
			description: "Grants to users carry `user_id`, grants to groups `group_id`.",
			ids: { id: "application.not_found" },
			answer: page(grantSchema, "Grants, newest first."),
			async handle({ caller: { tenantId }, ids: { id }, page: asked }) {
				const appId = id as string;
				if ((await applications.findById(tenantId, appId)) === undefined) throw applicationNotFound();
				const found = await grants.list(tenantId, appId, asked);
				return { items: found.items.map(toWireGrant), total: found.total };
			},
		}),
		...userGrants(deps),
		...groupGrants(deps),
	};
}

function userGrants(deps: GrantsDeps) {
	return {
		put: endpoint<SignedIn>()({
			name: "putUserGrant",
			summary: "Grant a user an application",
			description:
				"Makes the grant, or replaces the roles of the one that stands; the same again changes nothing. An `open` application needs no grant to be used, but roles come by grants only.",
			ids: ofUser,
			body: putBody,
			answer: data(200, grantSchema, "The grant as it is now."),
			async handle({ caller, ids, body, request }) {
				const context = adminContext(caller, request);
				return toWireGrant(await putGrant(deps, toUser(ids), body.roles ?? [], context));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteUserGrant",
			summary: "Take an application away from a user",
			description:
				"Counts at once in every access decision; a session signed in to the application ends at its next refresh. What a group gives stays.",
			ids: ofUser,
			answer: empty(204, "The grant is gone."),
			errors: ["grant.not_found"],
			handle: ({ caller, ids, request }) => removeGrant(deps, toUser(ids), adminContext(caller, request)),
		}),
	};
}

function groupGrants(deps: GrantsDeps) {
	return {
		putGroup: endpoint<SignedIn>()({
			name: "putGroupGrant",
			summary: "Grant a group an application",
			description:
				"Counts for whoever is in the group, for as long as they are. Makes the grant, or replaces the roles of the one that stands; the same again changes nothing. A user's roles are those of the own grant and of all groups together.",
			ids: ofGroup,
			body: putBody,
			answer: data(200, grantSchema, "The grant as it is now."),
			async handle({ caller, ids, body, request }) {
				const context = adminContext(caller, request);
				return toWireGrant(await putGrant(deps, toGroup(ids), body.roles ?? [], context));
			},
		}),

		removeGroup: endpoint<SignedIn>()({
			name: "deleteGroupGrant",
			summary: "Take an application away from a group",
			description:
				"Counts at once in every access decision about its members. What they were granted themselves, or by another group, stays.",
			ids: ofGroup,
			answer: empty(204, "The grant is gone."),
			errors: ["grant.not_found"],
			handle: ({ caller, ids, request }) => removeGrant(deps, toGroup(ids), adminContext(caller, request)),
		}),
	};
}

type Ids = Readonly<Record<string, string>>;

const toUser = (ids: Ids) => ({
	appId: ids.id as string,
	subject: { kind: "user", id: ids.user_id as string } as const,
});
const toGroup = (ids: Ids) => ({
	appId: ids.id as string,
	subject: { kind: "group", id: ids.group_id as string } as const,
});
