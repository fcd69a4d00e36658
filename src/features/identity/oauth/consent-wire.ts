// The wire forms of a consent, and of an application that acts for a user.

import type { ListedConsent } from "../../../domain/oauth-consent.ts";
import { list, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { presentedApplication, toWireApplication } from "./interaction-wire.ts";

export const consentSchema = object(
	{
		id: plain({ format: "uuid" }),
		application: presentedApplication,
		scopes: list(plain()),
		resources: list(plain("An API for which the application may get tokens.")),
		api_scopes: list(object({ resource: plain(), scopes: list(plain({ examples: ["orders:read"] })) }), {
			description: "What the application may do at an API, beyond what the OpenID scopes contain.",
		}),
		created_at: time(),
		updated_at: time("When the user last extended the consent."),
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

export const actorSchema = object(
	{
		id: plain({ format: "uuid" }),
		actor_name: plain("The application that acts."),
		api_name: plain("The application of the API at which it acts."),
		front_name: plain("The application at which the user signed in."),
		created_at: time("When it first acted within this sign-in."),
		last_used_at: time("Written every few seconds."),
	},
	{ title: "Actor" },
);
export const toWireActor = toWire(actorSchema);
