// `/users/me/consents`: the consents of the signed-in user.

import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { empty, endpoint, page } from "../../../http/endpoint.ts";
import { list, object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

const consentSchema = object(
	{
		id: plain({ format: "uuid" }),
		application: object({
			id: plain({ format: "uuid" }),
			name: plain(),
			homepage_url: plain(),
			logo_url: plain(),
		}),
		scopes: list(plain()),
		resources: list(plain({ description: "An API for which the application may get tokens." })),
		created_at: time(),
		updated_at: time({ description: "When the application was last allowed more." }),
	},
	{ title: "Consent" },
);

const toWireConsent = toWire(consentSchema);

export function consentEndpoints(platform: Platform) {
	const { oauthConsents } = platform.db.stores;
	return {
		listMine: endpoint<SignedIn>()({
			name: "listMyConsents",
			summary: "List what the current user let applications have",
			description:
				"Applications that sign the user in with OpenID Connect and asked for consent. An application of the operator's own asks nobody and is not listed.",
			response: page(consentSchema, "Consents, the one given first last."),
			errors: ["application.token"],
			async handle({ caller, page }) {
				checkInPerson(caller, "list the consents of its user");
				const consents = await oauthConsents.list(caller.tenantId, caller.userId, page);
				return mapPage(consents, (consent) => {
					const { name, homepageUrl, logoUrl } = consent.application;
					const application = { id: consent.clientId, name, homepage_url: homepageUrl, logo_url: logoUrl };
					return toWireConsent({ ...consent, application });
				});
			},
		}),

		withdrawMine: endpoint<SignedIn>()({
			name: "withdrawMyConsent",
			summary: "Take back what an application may have",
			description:
				"All tokens that the application holds for the user end at once, in every session; the sessions stay. Its next sign-in asks for consent again.",
			ids: { id: "consent.not_found" },
			response: empty(204, "The consent is withdrawn."),
			errors: ["application.token", "consent.not_found"],
			handle: ({ caller, ids }) => withdrawConsent(platform, ids.id, caller),
		}),
	};
}
