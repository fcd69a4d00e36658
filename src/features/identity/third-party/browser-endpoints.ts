// `/auth/third-party/{provider}`: redirects the browser to the provider and back.

import { browserPage } from "../../../http/browser-page.ts";
import { browserStep, endpoint } from "../../../http/endpoint.ts";
import { exactQuery } from "../../../http/query-parameters.ts";
import type { Platform } from "../../platform.ts";
import { beginAttempt, invalidAttempt, type LinkToConfirm } from "./begin-attempt.ts";
import { browserCookie, browserSecretOf, confirmationOf, findBrowserSecret } from "./browser-secret.ts";
import { finishAttempt } from "./finish-attempt.ts";
import { beginUrl, CALLBACK_NAME, callbackUrl, createCallbacks, PROVIDER_NAMES } from "./sign-in-urls.ts";

const TOKEN_MAX = 128;
/** The parameters of OAuth 2.0 and OpenID Connect, and Apple's `user`. Drops all others. */
const PARAMETERS = ["state", "code", "error", "error_description", "iss", "user"];
/** Characters of the whole query, well below the limit of a request line. */
const QUERY_MAX = 8_000;

const callbackNames = {
	provider: { pattern: CALLBACK_NAME, code: "identity_provider.not_found" },
} as const;

export function thirdPartyBrowserEndpoints(platform: Platform) {
	const deps = { ...platform, callbackOf: createCallbacks(platform) };
	return {
		begin: endpoint<undefined>()({
			name: "beginThirdPartySignIn",
			summary: "Redirect a browser to the provider",
			description:
				"The target of `authorization_url`, for browsers only. Sets a cookie that identifies the browser, creates the state, nonce, and PKCE verifier, and redirects to the provider.",
			names: PROVIDER_NAMES,
			query: {
				attempt: exactQuery(TOKEN_MAX, "From `authorization_url`."),
				confirm: exactQuery(TOKEN_MAX, "From the page that asks before an account is linked."),
			},
			response: browserStep("Redirect to the provider.", "A page that asks whether to link the account."),
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
			summary: "Redirect a browser back to the application",
			description:
				"The provider redirects the browser here. Only the browser that began the sign-in can finish it.",
			names: callbackNames,
			query: {
				state: exactQuery(TOKEN_MAX, "As sent to the provider."),
				code: exactQuery(4_096, "From the provider."),
				error: exactQuery(1_024, "From the provider."),
			},
			response: browserStep("Redirect to the application, with `ticket` or `error`."),
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
			summary: "Accept a callback that a provider posts",
			description:
				"Apple returns the browser with a form. The response redirects to the same URL with GET, so that the browser sends the cookie.",
			names: callbackNames,
			response: browserStep("Redirect to the callback."),
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

function linkPage({ user: { username }, provider: { displayName } }: LinkToConfirm, href: string): string {
	return browserPage({
		title: `Link ${displayName}?`,
		paragraphs: [
			`Your account at ${displayName} will be linked to the account ${username} here. From then on it signs in as ${username}.`,
			`Continue only if you are ${username} and started this yourself.`,
		],
		action: { label: `Link it to ${username}`, href },
		note: "Otherwise close this page: nothing has happened.",
	});
}

/**
 * Browsers send no `Lax` cookie with a form from another site, but do so after a redirect. So the form is redirected.
 *
 * @returns undefined if the body is not a form, repeats a parameter, or is too long.
 */
function parsePostedCallback(contentType: string | undefined, body: Buffer): URLSearchParams | undefined {
	if (contentType?.split(";")[0]?.trim().toLowerCase() !== "application/x-www-form-urlencoded")
		return undefined;
	const form = new URLSearchParams(body.toString("utf8"));
	const query = new URLSearchParams();
	for (const name of PARAMETERS) {
		const [value, ...others] = form.getAll(name);
		if (others.length > 0) return undefined;
		if (value !== undefined) query.set(name, value);
	}
	return query.size === 0 || query.toString().length > QUERY_MAX ? undefined : query;
}
