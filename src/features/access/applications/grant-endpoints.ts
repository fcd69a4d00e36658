// `/applications/{id}/grants`: who may use an application, and with which roles.

import { ROLE_NAME_MAX } from "../../../domain/application-role.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { GRANT_KINDS, GRANT_ROLES_MAX } from "../../../domain/grant.ts";
import { empty, endpoint, exportablePage, LIST_FORMAT, putData } from "../../../http/describe/endpoint.ts";
import { oneOf, searchText, timeText } from "../../../http/describe/query-parameters.ts";
import { list, object, optional, text } from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import type { ErrorCode } from "../../../kernel/error.ts";
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
import { type GrantPlace, putGrant, removeGrant } from "./manage-grant.ts";

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
const toWish = fromWire(putBody);
/** Of every PUT. */
const PUT =
	"Creates the grant, or replaces the roles of the existing one, which keeps its end and its reason unless you set them. A grant that has ended counts as absent. Idempotent.";

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
		user: grantsTo(platform, {
			noun: "User",
			ids: { id: "application.not_found", user_id: "user.not_found" },
			placeOf: (ids) => ({ appId: ids.id, subject: { kind: "user", id: ids.user_id } }),
			put: "Grant an application to a user",
			effect:
				"An `open` application requires no grant, but only grants assign roles. Managers of the application grant it to others than themselves.",
			errors: ["request.own"],
			remove: "Remove a user's grant",
			removal:
				"Applies to every access decision immediately; the user's sessions in the application end at their next refresh. Grants of groups remain.",
		}),
		group: grantsTo(platform, {
			noun: "Group",
			ids: { id: "application.not_found", group_id: "group.not_found" },
			placeOf: (ids) => ({ appId: ids.id, subject: { kind: "group", id: ids.group_id } }),
			put: "Grant an application to a group",
			effect:
				"The grant applies to every current member of the group. A user has the roles of their own grant and of all their groups.",
			remove: "Remove a group's grant",
			removal:
				"Applies to every access decision about its members immediately. Their own grants and those of other groups remain.",
		}),
		client: grantsTo(platform, {
			noun: "ApiClient",
			ids: { id: "application.not_found", client_id: "api_client.not_found" },
			placeOf: (ids) => ({ appId: ids.id, subject: { kind: "api_client", id: ids.client_id } }),
			put: "Grant roles to an API client",
			effect: "The gate of the application decides on the signed requests of its API clients by these roles.",
			remove: "Remove the grant of an API client",
			removal: "Applies from the next decision of the gate.",
		}),
		program: grantsTo(platform, {
			noun: "Program",
			ids: { id: "application.not_found", application_id: "oauth_client.not_found" },
			placeOf: (ids) => ({ appId: ids.id, subject: { kind: "program", id: ids.application_id } }),
			put: "Grant an application to a program",
			effect: "`application_id` is the application whose OAuth client acts for itself (`service`).",
			remove: "Remove the grant of a program",
			removal: "Applies from the next decision of the gate.",
		}),
	};
}

type Codes = Readonly<Record<string, ErrorCode>>;

interface Granting<I extends Codes> {
	/** In the names of the endpoints. */
	readonly noun: string;
	readonly ids: I;
	placeOf(ids: Readonly<Record<Extract<keyof I, string>, string>>): GrantPlace;
	/** The summaries, and what follows from the change. */
	readonly put: string;
	readonly effect: string;
	readonly remove: string;
	readonly removal: string;
	readonly errors?: readonly ErrorCode[];
}

function grantsTo<const I extends Codes>(platform: Platform, granting: Granting<I>) {
	const { noun, ids, placeOf, errors = [] } = granting;
	return {
		put: endpoint<Administrator>()({
			name: `put${noun}Grant`,
			summary: granting.put,
			description: `${PUT} ${granting.effect}`,
			ids,
			body: putBody,
			response: putData(grantSchema, { replaced: "The changed grant.", created: "The new grant." }),
			errors,
			async handle({ caller, ids, body }) {
				const { isNew, grant } = await putGrant(platform, placeOf(ids), toWish(body), caller);
				return { isNew, value: toWireGrant(grant) };
			},
		}),

		remove: endpoint<Administrator>()({
			name: `delete${noun}Grant`,
			summary: granting.remove,
			description: granting.removal,
			ids,
			response: empty(204, "The grant is removed."),
			errors: ["grant.not_found"],
			handle: ({ caller, ids }) => removeGrant(platform, placeOf(ids), caller),
		}),
	};
}
