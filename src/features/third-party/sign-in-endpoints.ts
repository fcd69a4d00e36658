// `/auth/third-party`: signing in with an account elsewhere, and linking one. Contract section 8.

import { browserPage } from "../../http/browser-page.ts";
import {
	browserStep,
	data,
	endpoint,
	exactQuery,
	type NameParameter,
	withCookie,
} from "../../http/endpoint.ts";
import type { Incoming } from "../../http/incoming.ts";
import {
	choice,
	exactText,
	integer,
	list,
	object,
	optional,
	plain,
	type Schema,
	secretText,
	text,
	uuid,
} from "../../http/schema.ts";
import type { Origin } from "../../kernel/origin.ts";
import { REDIRECT_URI_MAX } from "../applications/model.ts";
import { PASSWORD_TEXT_MAX, type SignedIn, type SignInOutcome } from "../auth/model.ts";
import { FRESH_SIGN_IN_SECONDS } from "../mfa/model.ts";
import type { Visitor } from "../tenants/model.ts";
import { beginAttempt, invalidAttempt } from "./begin-attempt.ts";
import { browserCookie, browserSecretOf, confirmationOf, findBrowserSecret } from "./browser-secret.ts";
import { CALLBACK_NAME } from "./callback-name.ts";
import { type FinishAttemptDeps, finishAttempt } from "./finish-attempt.ts";
import {
	ATTEMPT_SECONDS,
	CALLBACK_ERRORS,
	type IdentityProvider,
	type IdentityProviderStore,
	PROVIDER,
	PROVIDER_KINDS,
	TICKET_SECONDS,
} from "./model.ts";
import { beginUrl, callbackUrl } from "./our-urls.ts";
import { parsePostedCallback } from "./posted-callback.ts";
import { type RedeemTicketDeps, redeemTicket } from "./redeem-ticket.ts";
import { type StartAttemptDeps, startAttempt } from "./start-attempt.ts";

/** How the feature `auth` shows the outcome of a sign-in: it owns that form, and is handed in. */
export interface OutcomeWire<WireOutcome> {
	readonly schema: Schema<WireOutcome>;
	toWire(outcome: SignInOutcome): WireOutcome;
}

export type ThirdPartySignInDeps<WireOutcome> = StartAttemptDeps &
	FinishAttemptDeps &
	RedeemTicketDeps & {
		readonly signInWire: OutcomeWire<WireOutcome>;
		/** Owned by the feature `mfa`: the password tells, or a sign-in a moment ago. @throws AppError */
		readonly confirmOwner: (
			passwordPlain: string | undefined,
			context: { readonly signedIn: SignedIn; readonly origin: Origin },
		) => Promise<void>;
	};

const TOKEN_MAX = 128;
const names: Readonly<Record<string, NameParameter>> = {
	provider: { pattern: PROVIDER, code: "identity_provider.not_found" },
};
const callbackNames: Readonly<Record<string, NameParameter>> = {
	provider: { pattern: CALLBACK_NAME, code: "identity_provider.not_found" },
};

const startFields = {
	redirect_uri: exactText({
		max: REDIRECT_URI_MAX,
		description: "One of the application's redirect URIs, character by character.",
	}),
	app_id: optional(
		uuid({
			description:
				"The application to sign in to: access to it is decided. Without it the tokens are for none, and the redirect URI may be any active application's.",
		}),
	),
	code_challenge: optional(
		text({
			max: 43,
			pattern: "^[A-Za-z0-9_-]{43}$",
			description:
				"Base64url SHA-256 of a `code_verifier` you keep (RFC 7636, S256): then the ticket is worthless to anybody else.",
		}),
	),
};
const startBody = object(startFields);
const startLinkBody = object({
	...startFields,
	password: optional(
		secretText({
			max: PASSWORD_TEXT_MAX,
			description: `The current password; may be left out when the sign-in is at most ${FRESH_SIGN_IN_SECONDS / 60} minutes old.`,
		}),
	),
});
const tokenBody = object({
	ticket: secretText({ max: TOKEN_MAX, description: "As it came back to your redirect URI." }),
	code_verifier: optional(
		secretText({ max: TOKEN_MAX, description: "Required if the start gave a `code_challenge`." }),
	),
});
const startedSchema = object(
	{
		authorization_url: plain({
			description: "Send the person's browser there, as a whole page. It leads by way of this service.",
		}),
		expires_in: integer({ description: "Seconds until the person must be back." }),
	},
	{ title: "StartedThirdPartySignIn" },
);
const shownProvider = object(
	{ provider: plain(), kind: choice(PROVIDER_KINDS), display_name: plain() },
	{ title: "ThirdPartyProvider" },
);

export function thirdPartySignInEndpoints<WireOutcome>(deps: ThirdPartySignInDeps<WireOutcome>) {
	const identityProviders: IdentityProviderStore = deps.db.stores.identityProviders;
	return {
		providers: endpoint<Visitor>()({
			name: "listThirdPartyProviders",
			summary: "List the providers people can sign in with",
			answer: data(200, list(shownProvider), "Enabled providers, by name."),
			async handle({ caller }) {
				const enabled = await identityProviders.listEnabled(caller.tenantId);
				return enabled.map(({ provider, kind, displayName }) => ({
					provider,
					kind,
					display_name: displayName,
				}));
			},
		}),

		start: endpoint<Visitor>()({
			name: "startThirdPartySignIn",
			summary: "Begin a sign-in with a provider",
			description: `Send the browser to \`authorization_url\` within ${ATTEMPT_SECONDS / 60} minutes. It comes back to \`redirect_uri\` with \`ticket\`, or with \`error\`: ${CALLBACK_ERRORS.join(", ")}.`,
			names,
			body: startBody,
			answer: data(200, startedSchema, "Where to send the browser."),
			errors: ["redirect_uri.not_registered"],
			secret: true,
			async handle({ caller, ids, body }) {
				const started = await startAttempt(deps, {
					tenantId: caller.tenantId,
					provider: ids.provider as string,
					redirectUri: body.redirect_uri,
					appId: body.app_id ?? null,
					codeChallenge: body.code_challenge ?? "",
					linkTo: null,
					browserSecret: null,
				});
				return toWireStarted(started);
			},
		}),

		startLink: endpoint<SignedIn>()({
			name: "startThirdPartyLink",
			summary: "Begin to link an account at a provider to the current user",
			description:
				"As the start of a sign-in, but the account is linked to whoever calls: it signs in for good, so a stolen token is not enough. The answer sets a cookie; a browser that comes to `authorization_url` without it is asked whether it is really to be linked to this user.",
			names,
			body: startLinkBody,
			answer: withCookie(data(200, startedSchema, "Where to send the browser.")),
			errors: ["redirect_uri.not_registered", "password.wrong", "login.too_many", "service.overloaded"],
			secret: true,
			async handle({ caller, ids, body, request }) {
				await deps.confirmOwner(body.password, { signedIn: caller, origin: request });
				const browserSecret = browserSecretOf(request.headerValues("cookie"));
				const started = await startAttempt(deps, {
					tenantId: caller.tenantId,
					provider: ids.provider as string,
					redirectUri: body.redirect_uri,
					appId: body.app_id ?? null,
					codeChallenge: body.code_challenge ?? "",
					linkTo: { userId: caller.user.id, sessionId: caller.sessionId },
					browserSecret,
				});
				return { ...toWireStarted(started), cookie: browserCookie(browserSecret) };
			},
		}),

		begin: endpoint<undefined>()({
			name: "beginThirdPartySignIn",
			summary: "Take a browser to the provider",
			description:
				"Where `authorization_url` leads: tells this browser from every other by a cookie, makes state, nonce and PKCE verifier, and sends it on. Nobody but a browser comes here.",
			names,
			query: {
				attempt: exactQuery(TOKEN_MAX, "From `authorization_url`."),
				confirm: exactQuery(TOKEN_MAX, "Made by the page that asks before an account is linked."),
			},
			answer: browserStep("On to the provider.", "A page that asks whether the account is to be linked."),
			errors: ["third_party_attempt.invalid"],
			secret: true,
			browser: true,
			handle: ({ ids, query, request }) =>
				begin(deps, ids.provider as string, query.attempt ?? "", query.confirm ?? "", request),
		}),

		callback: endpoint<undefined>()({
			name: "finishThirdPartySignIn",
			summary: "Take a browser back to the application",
			description:
				"Where the provider sends the browser. Nobody but a browser comes here, and only the one that began.",
			names: callbackNames,
			query: {
				state: exactQuery(TOKEN_MAX, "As it was sent to the provider."),
				code: exactQuery(4_096, "From the provider."),
				error: exactQuery(1_024, "From the provider."),
			},
			answer: browserStep("Back to the application, with `ticket` or `error`."),
			errors: ["third_party_attempt.invalid"],
			secret: true,
			browser: true,
			async handle({ ids, request }) {
				const back = {
					callbackName: ids.provider as string,
					browserSecret: findBrowserSecret(request.headerValues("cookie")),
					parameters: new URLSearchParams(request.target.replace(/^[^?]*/, "")),
				};
				return { next: { location: await finishAttempt(deps, back, request) } };
			},
		}),

		postedCallback: endpoint<undefined>()({
			name: "takePostedThirdPartyCallback",
			summary: "Take a callback that a provider posts",
			description:
				"Apple sends the browser back with a form. It is turned into a visit of the same address, which carries the cookie.",
			names: callbackNames,
			answer: browserStep("On to the callback."),
			errors: ["third_party_attempt.invalid"],
			secret: true,
			browser: true,
			handle({ ids, request }) {
				const parameters = parsePostedCallback(request.contentType, request.rawBody);
				if (parameters === undefined) throw invalidAttempt();
				const location = `${callbackUrl(deps.publicUrl, ids.provider as string)}?${parameters}`;
				return { next: { location } };
			},
		}),

		token: endpoint<undefined>()({
			name: "redeemThirdPartyTicket",
			summary: "Exchange a ticket for tokens",
			description: `A ticket is good for ${TICKET_SECONDS} seconds and one exchange. Account, access to the application and second factors are looked at as at any sign-in; \`amr\` is \`fed\`.`,
			body: tokenBody,
			answer: data(200, deps.signInWire.schema, "Signed in."),
			errors: ["ticket.invalid", "account.disabled", "application.access_denied"],
			secret: true,
			async handle({ body, request }) {
				const given = { ticketPlain: body.ticket, codeVerifier: body.code_verifier ?? "" };
				return deps.signInWire.toWire(await redeemTicket(deps, given, request));
			},
		}),
	};
}

function toWireStarted(started: { readonly authorizationUrl: string; readonly expiresInSeconds: number }) {
	return { authorization_url: started.authorizationUrl, expires_in: started.expiresInSeconds };
}

async function begin(
	deps: FinishAttemptDeps,
	provider: string,
	attemptToken: string,
	confirmation: string,
	request: Incoming,
) {
	const browserSecret = browserSecretOf(request.headerValues("cookie"));
	const cookie = browserCookie(browserSecret);
	const departure = await beginAttempt(
		deps,
		{ provider, attemptToken, confirmation, browserSecret },
		request,
	);
	if ("location" in departure) return { next: { location: departure.location }, cookie };
	const href = `${beginUrl("", provider, attemptToken)}&confirm=${confirmationOf(browserSecret, attemptToken)}`;
	return { next: { html: linkPage(departure.ask, href) }, cookie };
}

function linkPage(
	{ user, provider }: { readonly user: { readonly username: string }; readonly provider: IdentityProvider },
	href: string,
): string {
	return browserPage({
		title: `Link ${provider.displayName}?`,
		paragraphs: [
			`Your account at ${provider.displayName} will be linked to the account ${user.username} here. Whoever signs in with it then is ${user.username}.`,
			`Go on only if you are ${user.username} and asked for this yourself.`,
		],
		action: { label: `Link it to ${user.username}`, href },
		note: "Otherwise close this page: nothing has happened.",
	});
}
