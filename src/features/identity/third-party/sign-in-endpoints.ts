// `/auth/third-party`: an application starts a sign-in or a link, and exchanges the ticket.

import { REDIRECT_URI_MAX } from "../../../domain/application.ts";
import type { Caller } from "../../../domain/caller.ts";
import { PROVIDER } from "../../../domain/identity-provider.ts";
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
	text,
	uuid,
} from "../../../http/schema.ts";
import { fromWire } from "../../../http/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { shownProvider, toWireProvider } from "../auth/method-endpoints.ts";
import { ENTRY_ERRORS, signInSchema, toWireSignIn } from "../auth/sign-in-wire.ts";
import { OWNER_ERRORS, ownerFields } from "../mfa/wire.ts";
import { confirmOwner } from "../steps/prove-password.ts";
import { browserCookie, browserSecretOf, findBrowserSecret } from "./browser-secret.ts";
import { redeemTicket } from "./redeem-ticket.ts";
import { startAttempt } from "./start-attempt.ts";

const TOKEN_MAX = 128;
const names = {
	provider: { pattern: PROVIDER, code: "identity_provider.not_found" },
} as const;

const startFields = {
	redirect_uri: exactText({
		max: REDIRECT_URI_MAX,
		description:
			"One of the application's redirect URIs, character by character. Or `/sign-in` or `/account` of the service itself, with any query, without `app_id`: the outcome comes in the fragment, and only this browser can exchange the ticket.",
	}),
	app_id: optional(
		uuid({
			description:
				"The application to sign in to: access to it is checked. Without it the tokens belong to no application, and the redirect URI may be any active application's.",
		}),
	),
	code_challenge: optional(
		text({
			max: 43,
			pattern: "^[A-Za-z0-9_-]{43}$",
			description:
				"Base64url SHA-256 of a `code_verifier` you keep (RFC 7636, S256): then no other party can exchange the ticket.",
		}),
	),
};
const startBody = object(startFields);
const fromStart = fromWire(startBody);
const tokenBody = object({
	ticket: secretText({ max: TOKEN_MAX, description: "From your redirect URI." }),
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
				"Open it in the person's browser, as a top-level page. It leads to the provider through this service.",
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
			summary: "List the providers people can sign in with",
			response: data(200, list(shownProvider), "Enabled providers, by name."),
			handle: async ({ caller }) =>
				(await identityProviders.listEnabled(caller.tenantId)).map(toWireProvider),
		}),

		start: endpoint<Visitor>()({
			name: "startThirdPartySignIn",
			summary: "Begin a sign-in with a provider",
			description: `Send the browser to \`authorization_url\` within ${ATTEMPT_SECONDS / 60} minutes. It returns to \`redirect_uri\` with \`ticket\`, or with \`error\`: ${CALLBACK_ERRORS.join(", ")}.`,
			names,
			body: startBody,
			response: data(200, startedSchema, "Where to send the browser."),
			errors: ["redirect_uri.not_registered"],
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
			summary: "Begin to link an account at a provider to the current user",
			description:
				"As the start of a sign-in, but the account is linked to the caller. It can sign in from then on, so an access token alone is not enough. The response sets a cookie; a browser without it must confirm the link at `authorization_url`.",
			names,
			body: object({ ...startFields, ...ownerFields }),
			response: withCookie(data(200, startedSchema, "Where to send the browser.")),
			errors: ["redirect_uri.not_registered", ...OWNER_ERRORS],
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
			description: `Of a sign-in with a provider, or of \`POST /auth/tickets\`. A ticket is valid for ${TICKET_SECONDS} seconds and one exchange. Account, access to the application and second factors are checked as at any sign-in; \`amr\` is \`fed\`, or that of the person's own session.`,
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
