// `/users/me/consents`: the consents of the signed-in user.

import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { consentSchema, toWireConsent } from "./consent-wire.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

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
