// Endpoints of the pages for a sign-in or consent that an application requests.

import { isOpenIdScope } from "../../../domain/oauth-scope.ts";
import { hostOf } from "../../../domain/program-document.ts";
import { hasPrivateScheme } from "../../../domain/redirect-uri.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { boolean, choice, list, object, plain } from "../../../http/describe/schema.ts";
import type { ErrorCode } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { ENTRY_ERRORS } from "../auth/sign-in-wire.ts";
import {
	consentToInteraction,
	continueInteraction,
	denyInteraction,
	getInteraction,
} from "./decide-interaction.ts";
import {
	describeApis,
	presentedApplication,
	presentedProgram,
	requestedApisSchema,
	toWireApplication,
	toWireProgramHosts,
} from "./interaction-wire.ts";

const names = {
	interaction_id: { pattern: /^[A-Za-z0-9_-]{16,64}$/, code: "interaction.not_found" },
} as const;

const interactionSchema = object(
	{
		prompt: choice(["login", "consent"]),
		application: presentedApplication,
		program: presentedProgram,
		redirect_scheme: plain({
			description:
				'The private-use scheme of the redirect URI, which an app on this device claims; `""` for a web address.',
			examples: ["com.example.app"],
		}),
		tenant: object({ id: plain({ format: "uuid" }), slug: plain(), name: plain() }),
		first_party: boolean("The operator's own application: no consent is stored."),
		scopes: list(plain()),
		resources: list(plain()),
		apis: requestedApisSchema,
		login_hint: plain('The user that the application expects; `""` without a hint.'),
		ui_locales: list(plain()),
		select_account: boolean(
			"The application requires that the user chooses an account, also with a session.",
		),
		sign_in_again: boolean("The application requires a sign-in that is newer than its request."),
		second_factor: boolean("The application requires a sign-in with two factors."),
	},
	{ title: "Interaction" },
);
const next = data(
	200,
	object({ redirect_to: plain("Redirect the browser here.") }, { title: "InteractionAnswer" }),
	"The decision is recorded.",
);
const DECISION_ERRORS: readonly ErrorCode[] = [
	"application.token",
	"interaction.other_tenant",
	"mfa.required",
	...ENTRY_ERRORS,
];

export function interactionEndpoints(platform: Platform) {
	const { tenants, programs } = platform.db.stores;
	return {
		get: endpoint<undefined>()({
			name: "getInteraction",
			summary: "Get a sign-in or consent that an application requests",
			description:
				"For the pages of the service. `/oauth/authorize` sends the browser to them with the id in the query parameter `interaction`. The id is valid for an hour.",
			names,
			response: data(200, interactionSchema, "The interaction."),
			secret: true,
			async handle({ ids }) {
				const { interaction, client } = await getInteraction(platform, ids.interaction_id);
				const { applicationId, application, tenantId } = client;
				const { scopes, resources } = interaction.asked;
				const tenant = await tenants.findById(tenantId);
				const program = application.kind === "program" && (await programs.find(tenantId, applicationId));
				return {
					prompt: interaction.prompt,
					application: toWireApplication(applicationId, application),
					program: program ? toWireProgramHosts(program.url, interaction.redirectUri) : null,
					redirect_scheme: hasPrivateScheme(interaction.redirectUri) ? hostOf(interaction.redirectUri) : "",
					tenant: { id: tenantId, slug: tenant?.slug ?? "", name: tenant?.name ?? "" },
					first_party: client.firstParty,
					scopes: scopes.filter(isOpenIdScope),
					resources: [...resources],
					apis: await describeApis(platform, tenantId, interaction.asked),
					login_hint: interaction.loginHint,
					ui_locales: [...interaction.uiLocales],
					select_account: interaction.selectsAccount,
					sign_in_again: interaction.mustSignInAgain,
					second_factor: interaction.requestsSecondFactor,
				};
			},
		}),
		proceed: endpoint<SignedIn>()({
			name: "continueInteraction",
			summary: "Continue to the application after a sign-in",
			description:
				"Uses the user's own session, in the tenant of the application. The account, access to the application, and second factors are checked as at any sign-in. The browser must send the cookie of the same session to `redirect_to`.",
			names,
			response: next,
			errors: ["interaction.sign_in_again", ...DECISION_ERRORS],
			secret: true,
			handle: async ({ ids, caller }) => ({
				redirect_to: await continueInteraction(platform, ids.interaction_id, caller),
			}),
		}),
		consent: endpoint<SignedIn>()({
			name: "consentToInteraction",
			summary: "Consent to the request of an application",
			description:
				"Consent covers everything that the application requests. It is remembered; for a first-party application, which asks only if it is `native`, until the session ends.",
			names,
			response: next,
			errors: DECISION_ERRORS,
			secret: true,
			handle: async ({ ids, caller }) => ({
				redirect_to: await consentToInteraction(platform, ids.interaction_id, caller),
			}),
		}),
		deny: endpoint<undefined>()({
			name: "denyInteraction",
			summary: "Return to the application without a sign-in",
			description: "The application receives the error `access_denied`.",
			names,
			response: next,
			secret: true,
			handle: async ({ ids }) => ({ redirect_to: await denyInteraction(platform, ids.interaction_id) }),
		}),
	};
}
