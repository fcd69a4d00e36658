// `/auth/third-party`: an application starts a sign-in or a link, and exchanges the ticket.

import { REDIRECT_URI_MAX } from "../../../domain/application.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { ATTEMPT_SECONDS, CALLBACK_ERRORS } from "../../../domain/third-party-attempt.ts";
import { TICKET_SECONDS } from "../../../domain/third-party-ticket.ts";
import { data, endpoint, withCookie } from "../../../http/endpoint.ts";
import {
	exactText,
	type Infer,
	integer,
	list,
	object,
	optional,
	plain,
	secretText,
	uuid,
} from "../../../http/schema.ts";
import { fromWire } from "../../../http/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { shownProvider, toWireProvider } from "../auth/method-endpoints.ts";
import { codeChallenge, ENTRY_ERRORS, signInSchema, toWireSignIn } from "../auth/sign-in-wire.ts";
import { OWNER_ERRORS, ownerFields } from "../mfa/wire.ts";
import { confirmOwner } from "../steps/confirm-owner.ts";
import { browserCookie, browserSecretOf, findBrowserSecret } from "./browser-secret.ts";
import { redeemTicket } from "./redeem-ticket.ts";
import { PROVIDER_NAMES } from "./sign-in-urls.ts";
import { startAttempt } from "./start-attempt.ts";

const TOKEN_MAX = 128;

const startFields = {
	redirect_uri: exactText({
		max: REDIRECT_URI_MAX,
		description:
			"Exactly one of the application's redirect URIs. Or, without `app_id`, the page `/sign-in` or `/account` of the service itself, with any query: then the fragment contains the outcome, and only this browser can exchange the ticket.",
	}),
	app_id: optional(
		uuid({
			description:
				"The application to sign in to. Access to it is checked. Without it, the tokens belong to no application, and the redirect URI can be that of any active application without OpenID Connect.",
		}),
	),
	code_challenge: optional(codeChallenge),
};
const startBody = object(startFields);
const fromStart = fromWire(startBody);
const tokenBody = object({
	ticket: secretText({ max: TOKEN_MAX, description: "The ticket from your redirect URI." }),
	code_verifier: optional(
		secretText({
			max: TOKEN_MAX,
			description: "Required if the sign-in was started with a `code_challenge`.",
		}),
	),
});
const startedSchema = object(
	{
		authorization_url: plain({
			description:
				"Open it in the user's browser as a top-level page. It leads to the provider through this service.",
		}),
		expires_in: integer({ description: "Seconds until the attempt expires." }),
	},
	{ title: "StartedThirdPartySignIn" },
);

export function thirdPartySignInEndpoints(platform: Platform) {
	const { identityProviders } = platform.db.stores;
	return {
		providers: endpoint<Visitor>()({
			name: "listThirdPartyProviders",
			summary: "List the providers with which users can sign in",
			response: data(200, list(shownProvider), "Enabled providers, by name."),
			handle: async ({ caller }) =>
				(await identityProviders.listEnabled(caller.tenantId)).map(toWireProvider),
		}),

		start: endpoint<Visitor>()({
			name: "startThirdPartySignIn",
			summary: "Start a sign-in with a provider",
			description: `Send the browser to \`authorization_url\` within ${ATTEMPT_SECONDS / 60} minutes. It returns to \`redirect_uri\` with \`ticket\`, or with \`error\`: ${CALLBACK_ERRORS.join(", ")}.`,
			names: PROVIDER_NAMES,
			body: startBody,
			response: data(200, startedSchema, "The URL for the browser."),
			errors: ["redirect_uri.not_registered", "oauth_client.exists"],
			secret: true,
			async handle({ caller, ids, body }) {
				const attempt = toAttempt(caller, ids.provider, body);
				const authorization_url = await startAttempt(platform, {
					...attempt,
					linkTo: null,
					browserSecret: null,
				});
				return { authorization_url, expires_in: ATTEMPT_SECONDS };
			},
		}),

		startLink: endpoint<SignedIn>()({
			name: "startThirdPartyLink",
			summary: "Start linking an account at a provider to the current user",
			description:
				"Works like the start of a sign-in, but links the account to the caller. Because the account can then sign in, an access token alone is not enough. The response sets a cookie; a browser without it must confirm the link at `authorization_url`.",
			names: PROVIDER_NAMES,
			body: object({ ...startFields, ...ownerFields }),
			response: withCookie(data(200, startedSchema, "The URL for the browser.")),
			errors: ["redirect_uri.not_registered", "oauth_client.exists", ...OWNER_ERRORS],
			secret: true,
			async handle({ caller, ids, body, request }) {
				await confirmOwner(platform, body.password, caller, "third_party_account.link_failed");
				const browserSecret = browserSecretOf(request.headerValues("cookie"));
				const linkTo = { userId: caller.userId, sessionId: caller.sessionId };
				const attempt = toAttempt(caller, ids.provider, body);
				const authorization_url = await startAttempt(platform, { ...attempt, linkTo, browserSecret });
				return { authorization_url, expires_in: ATTEMPT_SECONDS, cookie: browserCookie(browserSecret) };
			},
		}),

		token: endpoint<undefined>()({
			name: "redeemThirdPartyTicket",
			summary: "Exchange a ticket for tokens",
			description: `Exchanges the ticket of a sign-in with a provider, or of \`POST /auth/tickets\`. A ticket is valid for ${TICKET_SECONDS} seconds and one exchange. The account, access to the application, and second factors are checked as at any sign-in. \`amr\` is \`fed\`, or that of the user's own session.`,
			body: tokenBody,
			response: data(200, signInSchema, "Signed in."),
			errors: ["ticket.invalid", ...ENTRY_ERRORS],
			secret: true,
			session: "opens",
			async handle({ body, request }) {
				const { ticket: ticketPlain, code_verifier: codeVerifier = "" } = body;
				const browserSecret = findBrowserSecret(request.headerValues("cookie"));
				const proof = { ticketPlain, codeVerifier, browserSecret };
				return toWireSignIn(await redeemTicket(platform, proof, request));
			},
		}),
	};
}

function toAttempt({ tenantId }: Caller, provider: string, body: Infer<typeof startBody>) {
	return { tenantId, provider, appId: null, codeChallenge: "", ...fromStart(body) };
}
