// `/applications/{id}/grants`: who may use an application, and with which roles.

import { ROLE_NAME_MAX } from "../../../domain/application-role.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { GRANT_KINDS, GRANT_ROLES_MAX, type Grant } from "../../../domain/grant.ts";
import { empty, endpoint, exportablePage, LIST_FORMAT, putData } from "../../../http/describe/endpoint.ts";
import { oneOf, searchText, timeText } from "../../../http/describe/query-parameters.ts";
import { list, object, optional, text } from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import {
	endInput,
	grantOrder,
	grantSchema,
	namedGrantSchema,
	reasonInput,
	toWireGrant,
	toWireNamedGrant,
} from "./grant-wire.ts";
import { getApplication } from "./manage-application.ts";
import { putGrant, removeGrant } from "./manage-grant.ts";

const putBody = object({
	roles: optional(
		list(text({ max: ROLE_NAME_MAX }), {
			max: GRANT_ROLES_MAX,
			description: "Names or ids of the application's roles; default none.",
			examples: [["editor"]],
		}),
	),
	expires_at: endInput(),
	reason: reasonInput,
});
const put = putData(grantSchema, { replaced: "The changed grant.", created: "The new grant." });
const toWirePut = ({ isNew, grant }: { readonly isNew: boolean; readonly grant: Grant }) => ({
	isNew,
	value: toWireGrant(grant),
});
const wishOf = fromWire(putBody);
const ofUser = { id: "application.not_found", user_id: "user.not_found" } as const;
const ofGroup = { id: "application.not_found", group_id: "group.not_found" } as const;
const ofClient = { id: "application.not_found", client_id: "api_client.not_found" } as const;
const ofProgram = { id: "application.not_found", application_id: "oauth_client.not_found" } as const;

export function grantsEndpoints(platform: Platform) {
	const { applications, grants } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listGrants",
			summary: "List the grants of an application",
			description:
				"Grants to users have a `user_id`, grants to groups a `group_id`, grants to API clients an `api_client_id`, and grants to programs a `program_id`. `q` matches part of the username, the display name, or another name, literally, ignoring case and accents. `kind` lists only grants of this kind.",
			ids: { id: "application.not_found" },
			query: {
				q: searchText(),
				kind: oneOf(GRANT_KINDS),
				expires_before: timeText("Only grants that end before this time."),
				unused_since: timeText("Only grants that were neither used nor created since this time."),
				sort: grantOrder,
				...LIST_FORMAT,
			},
			response: exportablePage("grants", namedGrantSchema, "Grants with the names of their subjects."),
			async handle({ caller: { tenantId }, ids: { id }, query, page }) {
				await getApplication(applications, tenantId, id);
				const { expires_before: expiresBeforeMs, unused_since: unusedSinceMs, ...rest } = query;
				const listed = {
					...rest,
					tenantId,
					appId: id,
					...(expiresBeforeMs !== undefined && { expiresBeforeMs }),
					...(unusedSinceMs !== undefined && { unusedSinceMs }),
				};
				return mapPage(await grants.list(listed, page), toWireNamedGrant);
			},
		}),
		...userGrants(platform),
		...groupGrants(platform),
		...clientGrants(platform),
		...programGrants(platform),
	};
}

function userGrants(platform: Platform) {
	return {
		put: endpoint<Administrator>()({
			name: "putUserGrant",
			summary: "Grant an application to a user",
			description:
				"Creates the grant, or replaces the roles of the existing one, which keeps its end and its reason unless you set them. A grant that has ended counts as absent. Idempotent. An `open` application requires no grant, but only grants assign roles. Managers of the application grant it to others than themselves.",
			ids: ofUser,
			body: putBody,
			response: put,
			errors: ["request.own"],
			handle: async ({ caller, ids, body }) =>
				toWirePut(await putGrant(platform, toUser(ids), wishOf(body), caller)),
		}),

		remove: endpoint<Administrator>()({
			name: "deleteUserGrant",
			summary: "Remove a user's grant",
			description:
				"Applies to every access decision immediately; the user's sessions in the application end at their next refresh. Grants of groups remain.",
			ids: ofUser,
			response: empty(204, "The grant is removed."),
			errors: ["grant.not_found"],
			handle: ({ caller, ids }) => removeGrant(platform, toUser(ids), caller),
		}),
	};
}

function groupGrants(platform: Platform) {
	return {
		putGroup: endpoint<Administrator>()({
			name: "putGroupGrant",
			summary: "Grant an application to a group",
			description:
				"Creates the grant, or replaces the roles of the existing one, which keeps its end and its reason unless you set them. A grant that has ended counts as absent. Idempotent. The grant applies to every current member of the group. A user has the roles of their own grant and of all their groups.",
			ids: ofGroup,
			body: putBody,
			response: put,
			handle: async ({ caller, ids, body }) =>
				toWirePut(await putGrant(platform, toGroup(ids), wishOf(body), caller)),
		}),

		removeGroup: endpoint<Administrator>()({
			name: "deleteGroupGrant",
			summary: "Remove a group's grant",
			description:
				"Applies to every access decision about its members immediately. Their own grants and those of other groups remain.",
			ids: ofGroup,
			response: empty(204, "The grant is removed."),
			errors: ["grant.not_found"],
			handle: ({ caller, ids }) => removeGrant(platform, toGroup(ids), caller),
		}),
	};
}

function clientGrants(platform: Platform) {
	return {
		putClient: endpoint<Administrator>()({
			name: "putApiClientGrant",
			summary: "Grant roles to an API client",
			description:
				"Creates the grant, or replaces the roles of the existing one, which keeps its end and its reason unless you set them. A grant that has ended counts as absent. Idempotent. The gate of the application decides on the signed requests of its API clients by these roles.",
			ids: ofClient,
			body: putBody,
			response: put,
			handle: async ({ caller, ids, body }) =>
				toWirePut(await putGrant(platform, toClient(ids), wishOf(body), caller)),
		}),

		removeClient: endpoint<Administrator>()({
			name: "deleteApiClientGrant",
			summary: "Remove the grant of an API client",
			description: "Applies from the next decision of the gate.",
			ids: ofClient,
			response: empty(204, "The grant is removed."),
			errors: ["grant.not_found"],
			handle: ({ caller, ids }) => removeGrant(platform, toClient(ids), caller),
		}),
	};
}

function programGrants(platform: Platform) {
	return {
		putProgram: endpoint<Administrator>()({
			name: "putProgramGrant",
			summary: "Grant an application to a program",
			description:
				"Creates the grant, or replaces the roles of the existing one, which keeps its end and its reason unless you set them. A grant that has ended counts as absent. Idempotent. `application_id` is the application whose OAuth client acts for itself (`service`).",
			ids: ofProgram,
			body: putBody,
			response: put,
			handle: async ({ caller, ids, body }) =>
				toWirePut(await putGrant(platform, toProgram(ids), wishOf(body), caller)),
		}),

		removeProgram: endpoint<Administrator>()({
			name: "deleteProgramGrant",
			summary: "Remove the grant of a program",
			description: "Applies from the next decision of the gate.",
			ids: ofProgram,
			response: empty(204, "The grant is removed."),
			errors: ["grant.not_found"],
			handle: ({ caller, ids }) => removeGrant(platform, toProgram(ids), caller),
		}),
	};
}

const toUser = (ids: Readonly<Record<keyof typeof ofUser, string>>) => ({
	appId: ids.id,
	subject: { kind: "user", id: ids.user_id } as const,
});
const toGroup = (ids: Readonly<Record<keyof typeof ofGroup, string>>) => ({
	appId: ids.id,
	subject: { kind: "group", id: ids.group_id } as const,
});
const toClient = (ids: Readonly<Record<keyof typeof ofClient, string>>) => ({
	appId: ids.id,
	subject: { kind: "api_client", id: ids.client_id } as const,
});
const toProgram = (ids: Readonly<Record<keyof typeof ofProgram, string>>) => ({
	appId: ids.id,
	subject: { kind: "program", id: ids.application_id } as const,
});
