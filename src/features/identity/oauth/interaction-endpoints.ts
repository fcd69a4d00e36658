// Endpoints of the pages for sign-in and consent that an application requests.

import type { SignedIn } from "../../../domain/session.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { boolean, choice, list, object, plain } from "../../../http/schema.ts";
import type { ErrorCode } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { ENTRY_ERRORS } from "../auth/sign-in-wire.ts";
import {
	type AskedApi,
	consentToInteraction,
	continueInteraction,
	denyInteraction,
	getInteraction,
	listAskedApis,
	type ShownInteraction,
} from "./answer-interaction.ts";
import { askedApisSchema } from "./asked-api-wire.ts";

const ID = { interaction_id: { pattern: /^[A-Za-z0-9_-]{16,64}$/, code: "interaction.not_found" } } as const;

const shown = object(
	{
		prompt: choice(["login", "consent"]),
		application: object({
			id: plain({ format: "uuid" }),
			name: plain(),
			homepage_url: plain(),
			logo_url: plain(),
		}),
		tenant: object({ id: plain({ format: "uuid" }), slug: plain(), name: plain() }),
		first_party: boolean({ description: "The operator's own application: no consent is needed." }),
		scopes: list(plain()),
		resources: list(plain()),
		apis: askedApisSchema,
		login_hint: plain({ description: 'Whom the application expects; `""` without a hint.' }),
		ui_locales: list(plain()),
		sign_in_again: boolean({ description: "The application wants a sign-in from after it asked." }),
		second_factor: boolean({ description: "The application asks for a sign-in with two factors." }),
	},
	{ title: "Interaction" },
);
const next = data(
	200,
	object(
		{ redirect_to: plain({ description: "Where the browser goes, by navigation." }) },
		{ title: "InteractionAnswer" },
	),
	"The answer is kept.",
);
const ANSWER_ERRORS: readonly ErrorCode[] = [
	"application.token",
	"interaction.other_tenant",
	"mfa.required",
	...ENTRY_ERRORS,
];

export function interactionEndpoints(platform: Platform) {
	const { tenants } = platform.db.stores;
	return {
		get: endpoint<undefined>()({
			name: "getInteraction",
			summary: "Get what an application asks of a person",
			description:
				"For the pages of the service. The id is that of the query `interaction`, with which `/oauth/authorize` sends a browser to them; it lives for an hour.",
			names: ID,
			response: data(200, shown, "The interaction."),
			secret: true,
			async handle({ ids }) {
				const found = await getInteraction(platform, ids.interaction_id);
				const tenant = await tenants.findById(found.client.tenantId);
				const apis = await listAskedApis(platform, found.client, found.interaction.asked);
				return toWire(found, apis, tenant);
			},
		}),
		proceed: endpoint<SignedIn>()({
			name: "continueInteraction",
			summary: "Go on to the application after a sign-in",
			description:
				"With the person's own session, in the tenant of the application. The account, access to the application and second factors are checked as at any sign-in. The browser must come to `redirect_to` with the cookie of the same session.",
			names: ID,
			response: next,
			errors: ["interaction.sign_in_again", ...ANSWER_ERRORS],
			secret: true,
			handle: async ({ ids, caller }) => ({
				redirect_to: await continueInteraction(platform, ids.interaction_id, caller),
			}),
		}),
		consent: endpoint<SignedIn>()({
			name: "consentToInteraction",
			summary: "Let an application have what it asks for",
			description: "Everything that is asked, or nothing. The consent is remembered.",
			names: ID,
			response: next,
			errors: ANSWER_ERRORS,
			secret: true,
			handle: async ({ ids, caller }) => ({
				redirect_to: await consentToInteraction(platform, ids.interaction_id, caller),
			}),
		}),
		deny: endpoint<undefined>()({
			name: "denyInteraction",
			summary: "Go back to the application without a sign-in",
			description: "The application gets the error `access_denied`.",
			names: ID,
			response: next,
			secret: true,
			handle: async ({ ids }) => ({ redirect_to: await denyInteraction(platform, ids.interaction_id) }),
		}),
	};
}

function toWire(
	{ interaction, client }: ShownInteraction,
	apis: readonly AskedApi[],
	tenant: { readonly slug: string; readonly name: string } | undefined,
) {
	const { prompt, asked, loginHint, uiLocales, mustSignInAgain, asksSecondFactor } = interaction;
	const { name, homepageUrl, logoUrl } = client.application;
	return {
		prompt,
		application: { id: client.applicationId, name, homepage_url: homepageUrl, logo_url: logoUrl },
		tenant: { id: client.tenantId, slug: tenant?.slug ?? "", name: tenant?.name ?? "" },
		first_party: client.firstParty,
		scopes: [...asked.scopes],
		resources: [...asked.resources],
		apis: apis.map(({ resource, name }) => ({ resource, name })),
		login_hint: loginHint,
		ui_locales: [...uiLocales],
		sign_in_again: mustSignInAgain,
		second_factor: asksSecondFactor,
	};
}
