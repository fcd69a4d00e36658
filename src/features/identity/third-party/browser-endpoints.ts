// `/auth/third-party/{provider}`: the browser on its way to the provider and back. Contract section 8.

import { type IdentityProvider, PROVIDER } from "../../../domain/identity-provider.ts";
import { browserPage } from "../../../http/browser-page.ts";
import { browserStep, endpoint } from "../../../http/endpoint.ts";
import { exactQuery } from "../../../http/query-parameters.ts";
import type { Platform } from "../../platform.ts";
import { beginAttempt, invalidAttempt } from "./begin-attempt.ts";
import { browserCookie, browserSecretOf, confirmationOf, findBrowserSecret } from "./browser-secret.ts";
import { finishAttempt } from "./finish-attempt.ts";
import { parsePostedCallback } from "./posted-callback.ts";
import { beginUrl, CALLBACK_NAME, callbackUrl, createCallbacks } from "./sign-in-urls.ts";

const TOKEN_MAX = 128;
const names = {
	provider: { pattern: PROVIDER, code: "identity_provider.not_found" },
} as const;
const callbackNames = {
	provider: { pattern: CALLBACK_NAME, code: "identity_provider.not_found" },
} as const;

export function thirdPartyBrowserEndpoints(platform: Platform) {
	const deps = { ...platform, callbackOf: createCallbacks(platform) };
	return {
		begin: endpoint<undefined>()({
			name: "beginThirdPartySignIn",
			summary: "Take a browser to the provider",
			description:
				"The target of `authorization_url`, for browsers only. Sets a cookie that identifies the browser, creates state, nonce and PKCE verifier, and redirects to the provider.",
			names,
			query: {
				attempt: exactQuery(TOKEN_MAX, "From `authorization_url`."),
				confirm: exactQuery(TOKEN_MAX, "From the page that asks before an account is linked."),
			},
			answer: browserStep("To the provider.", "A page that asks whether to link the account."),
			errors: ["third_party_attempt.invalid"],
			secret: true,
			browser: true,
			async handle({ ids: { provider }, query, request }) {
				const attemptToken = query.attempt ?? "";
				const browserSecret = browserSecretOf(request.headerValues("cookie"));
				const cookie = browserCookie(browserSecret);
				const arrival = { provider, attemptToken, browserSecret, confirmation: query.confirm ?? "" };
				const departure = await beginAttempt(deps, arrival, request);
				if ("location" in departure) return { next: departure, cookie };
				const confirmation = confirmationOf(browserSecret, attemptToken);
				const href = `${beginUrl("", provider, attemptToken)}&confirm=${confirmation}`;
				return { next: { html: linkPage(departure.confirm, href) }, cookie };
			},
		}),

		callback: endpoint<undefined>()({
			name: "finishThirdPartySignIn",
			summary: "Take a browser back to the application",
			description:
				"The provider redirects the browser here. Only the browser that began the sign-in can finish it.",
			names: callbackNames,
			query: {
				state: exactQuery(TOKEN_MAX, "As sent to the provider."),
				code: exactQuery(4_096, "From the provider."),
				error: exactQuery(1_024, "From the provider."),
			},
			answer: browserStep("Back to the application, with `ticket` or `error`."),
			errors: ["third_party_attempt.invalid"],
			secret: true,
			browser: true,
			async handle({ ids, request }) {
				const returned = {
					callbackName: ids.provider,
					browserSecret: findBrowserSecret(request.headerValues("cookie")),
					parameters: new URLSearchParams(request.target.replace(/^[^?]*/, "")),
				};
				return { next: { location: await finishAttempt(deps, returned, request) } };
			},
		}),

		postedCallback: endpoint<undefined>()({
			name: "takePostedThirdPartyCallback",
			summary: "Take a callback that a provider posts",
			description:
				"Apple returns the browser with a form. The response redirects to the same URL with GET, a request that carries the cookie.",
			names: callbackNames,
			answer: browserStep("To the callback."),
			errors: ["third_party_attempt.invalid"],
			secret: true,
			browser: true,
			handle({ ids, request }) {
				const parameters = parsePostedCallback(request.contentType, request.rawBody);
				if (parameters === undefined) throw invalidAttempt();
				const location = `${callbackUrl(platform.publicUrl, ids.provider)}?${parameters}`;
				return { next: { location } };
			},
		}),
	};
}

function linkPage(
	{ user, provider }: { readonly user: { readonly username: string }; readonly provider: IdentityProvider },
	href: string,
): string {
	return browserPage({
		title: `Link ${provider.displayName}?`,
		paragraphs: [
			`Your account at ${provider.displayName} will be linked to the account ${user.username} here. From then on it signs in as ${user.username}.`,
			`Continue only if you are ${user.username} and started this yourself.`,
		],
		action: { label: `Link it to ${user.username}`, href },
		note: "Otherwise close this page: nothing has happened.",
	});
}
