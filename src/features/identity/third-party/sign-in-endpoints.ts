// `/auth/third-party`: a page of the service starts a sign-in or a link, and finishes the sign-in.

import type { SignedIn } from "../../../domain/session.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { ATTEMPT_SECONDS, CALLBACK_ERRORS } from "../../../domain/third-party-attempt.ts";
import { FINISH_SECONDS } from "../../../domain/third-party-sign-in.ts";
import { data, endpoint, withCookie } from "../../../http/describe/endpoint.ts";
import { exactText, integer, list, object, plain } from "../../../http/describe/schema.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import type { Platform } from "../../platform.ts";
import { shownProvider, toWireProvider } from "../auth/method-endpoints.ts";
import { signInSchema, toWireSignIn } from "../auth/sign-in-wire.ts";
import { OWNER_ERRORS, ownerFields } from "../mfa/wire.ts";
import { confirmOwner } from "../steps/confirm-owner.ts";
import { browserCookie, browserSecretOf, findBrowserSecret } from "./browser-secret-wire.ts";
import { finishThirdPartySignIn } from "./finish-sign-in.ts";
import { createCallbacks, PROVIDER_NAMES, RETURN_TO_MAX } from "./sign-in-urls.ts";
import { type AttemptRequest, startAttempt } from "./start-attempt.ts";

const startFields = {
	return_to: exactText({
		max: RETURN_TO_MAX,
		description:
			"The page to which the browser returns: `/sign-in`, or `/account`, `/console`, or `/portal` and paths below them, with any query.",
		examples: ["/sign-in?return_to=%2Fconsole"],
	}),
};
const startedSchema = object(
	{
		authorization_url: plain("The provider's URL. Open it in this browser as a top-level page."),
		expires_in: integer("Seconds until the attempt expires."),
	},
	{ title: "StartedThirdPartySignIn" },
);

export function thirdPartySignInEndpoints(platform: Platform) {
	const { identityProviders } = platform.db.stores;
	const deps = { ...platform, callbackOf: createCallbacks(platform) };
	const start = async (fields: Omit<AttemptRequest, "browserSecret">, request: Incoming) => {
		const browserSecret = browserSecretOf(request);
		const authorization_url = await startAttempt(deps, { ...fields, browserSecret }, request);
		return { authorization_url, expires_in: ATTEMPT_SECONDS, cookie: browserCookie(browserSecret) };
	};
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
			description: `For the service's own pages; applications use OpenID Connect. Sets a cookie that identifies the browser: only this browser can return from the provider, within ${ATTEMPT_SECONDS / 60} minutes. It returns to \`/sign-in\` with the fragment \`#finish\`, or \`#error=\` with one of: ${CALLBACK_ERRORS.join(", ")}. Another \`return_to\` is in the query of that page, which continues there after the sign-in.`,
			names: PROVIDER_NAMES,
			body: object(startFields),
			response: withCookie(data(200, startedSchema, "The URL for the browser.")),
			errors: ["identity_provider.unavailable"],
			secret: true,
			async handle({ caller: { tenantId }, ids: { provider }, body, request }) {
				return await start({ tenantId, provider, returnTo: body.return_to, linkTo: null }, request);
			},
		}),

		startLink: endpoint<SignedIn>()({
			name: "startThirdPartyLink",
			summary: "Start linking an account at a provider to the current user",
			description:
				"Works like the start of a sign-in, but links the account to the caller and returns to `return_to`, with the fragment `#linked` or `#error=`. Because the account can then sign in, an access token alone is not enough.",
			names: PROVIDER_NAMES,
			body: object({ ...startFields, ...ownerFields }),
			response: withCookie(data(200, startedSchema, "The URL for the browser.")),
			errors: ["identity_provider.unavailable", ...OWNER_ERRORS],
			secret: true,
			async handle({ caller, ids: { provider }, body, request }) {
				await confirmOwner(platform, body.password, caller, "third_party_account.link_failed");
				const { tenantId, userId, sessionId } = caller;
				const linkTo = { userId, sessionId };
				return await start({ tenantId, provider, returnTo: body.return_to, linkTo }, request);
			},
		}),

		finish: endpoint<undefined>()({
			name: "finishThirdPartySignIn",
			summary: "Finish a sign-in with a provider",
			description: `For the page to which the browser returned with \`#finish\`. The cookie of the browser identifies the sign-in; there is no body. Works once, within ${FINISH_SECONDS} seconds. Always as with \`X-Session: cookie\`: the refresh token is in the session cookie. The account and second factors are checked as at any sign-in; \`amr\` is \`fed\`.`,
			response: data(200, signInSchema, "Signed in, or a second factor is required."),
			errors: ["third_party_sign_in.not_found", "account.disabled", "sign_in.enforced"],
			secret: true,
			session: "opens in cookie",
			handle: async ({ request }) =>
				toWireSignIn(await finishThirdPartySignIn(platform, findBrowserSecret(request), request)),
		}),
	};
}
