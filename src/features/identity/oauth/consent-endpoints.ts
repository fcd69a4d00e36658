// `/users/me/consents`: the consents of the signed-in user.

import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { list, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { presentedApplication, toWireApplication } from "./interaction-wire.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

const consentSchema = object(
	{
		id: plain({ format: "uuid" }),
		application: presentedApplication,
		scopes: list(plain()),
		resources: list(plain({ description: "An API for which the application may get tokens." })),
		api_scopes: list(object({ resource: plain(), scopes: list(plain()) }), {
			description: "What the application may do at an API, beyond what the OpenID scopes contain.",
		}),
		created_at: time(),
		updated_at: time({ description: "When the user last extended the consent." }),
	},
	{ title: "Consent" },
);

const toWireConsent = toWire(consentSchema);

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
				return mapPage(consents, (consent) =>
					toWireConsent({
						...consent,
						application: toWireApplication(consent.clientId, consent.application),
						apiScopes: Object.entries(consent.apiScopes).map(([resource, scopes]) => ({
							resource,
							scopes: [...scopes],
						})),
					}),
				);
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
