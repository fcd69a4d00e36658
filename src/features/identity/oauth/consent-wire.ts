// The wire form of a consent.

import type { ListedConsent } from "../../../domain/oauth-consent.ts";
import { list, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { presentedApplication, toWireApplication } from "./interaction-wire.ts";

export const consentSchema = object(
	{
		id: plain({ format: "uuid" }),
		application: presentedApplication,
		scopes: list(plain()),
		resources: list(plain({ description: "An API for which the application may get tokens." })),
		api_scopes: list(object({ resource: plain(), scopes: list(plain({ examples: ["orders:read"] })) }), {
			description: "What the application may do at an API, beyond what the OpenID scopes contain.",
		}),
		created_at: time(),
		updated_at: time({ description: "When the user last extended the consent." }),
	},
	{ title: "Consent" },
);

const toWireForm = toWire(consentSchema);

export function toWireConsent(consent: ListedConsent) {
	return toWireForm({
		...consent,
		application: toWireApplication(consent.clientId, consent.application),
		apiScopes: Object.entries(consent.apiScopes).map(([resource, scopes]) => ({
			resource,
			scopes: [...scopes],
		})),
	});
}
