// `/users/me/actors`: the applications that act at APIs for the signed-in user.

import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { actorSchema, toWireActor } from "./actor-wire.ts";
import { endActor } from "./end-actor.ts";

export function actorEndpoints(platform: Platform) {
	const { db, clock } = platform;
	return {
		listMine: endpoint<SignedIn>()({
			name: "listMyActors",
			summary: "List the applications that act for the current user",
			description:
				"Lists each application that exchanged a token of the user for one of another API (RFC 8693), while the sign-in continues that the token came from.",
			response: page(actorSchema, "The applications, the latest use first."),
			errors: ["application.token"],
			async handle({ caller, page }) {
				checkInPerson(caller, "list what applications do for its user");
				const { tenantId, userId } = caller;
				return mapPage(await db.stores.oauthActors.list(tenantId, userId, clock(), page), toWireActor);
			},
		}),

		endMine: endpoint<SignedIn>()({
			name: "endMyActor",
			summary: "End what an application does for the current user",
			description:
				"Revokes all tokens of the sign-in that the application relies on, including those of the application at which the user signed in.",
			ids: { id: "actor.not_found" },
			response: empty(204, "The sign-in is ended."),
			errors: ["application.token"],
			handle: ({ caller, ids }) => endActor(platform, ids.id, caller),
		}),
	};
}
