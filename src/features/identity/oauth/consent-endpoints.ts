// `/users/me/consents` and `/users/me/actors`: the consents of the signed-in user, and the applications that act at APIs for
// them.

import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { actorSchema, consentSchema, toWireActor, toWireConsent } from "./consent-wire.ts";
import { endActor, withdrawConsent } from "./withdraw-consent.ts";

export function consentEndpoints(platform: Platform) {
	const { oauthConsents } = platform.db.stores;
	return {
		listMine: endpoint<SignedIn>()({
			name: "listMyConsents",
			summary: "List the current user's consents",
			description:
				"Lists the applications that use OpenID Connect and to which the user consented. The operator's own applications need no consent and are not listed.",
			response: page(consentSchema, "Consents, newest first."),
			errors: ["application.token"],
			async handle({ caller, page }) {
				checkInPerson(caller, "list the consents of its user");
				const consents = await oauthConsents.list(caller.tenantId, caller.userId, page);
				return mapPage(consents, toWireConsent);
			},
		}),

		withdrawMine: endpoint<SignedIn>()({
			name: "withdrawMyConsent",
			summary: "Withdraw a consent",
			description:
				"Revokes all tokens that the application holds for the user, in every session, and ends the application's own sessions. The user's sessions continue. The application's next sign-in asks for consent again.",
			ids: { id: "consent.not_found" },
			response: empty(204, "The consent is withdrawn."),
			errors: ["application.token"],
			handle: ({ caller, ids }) => withdrawConsent(platform, ids.id, caller),
		}),
	};
}

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
