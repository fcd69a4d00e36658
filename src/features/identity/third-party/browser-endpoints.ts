// `/auth/third-party/{provider}/callback`: takes the browser back from the provider.

import { browserStep, endpoint } from "../../../http/describe/endpoint.ts";
import { exactQuery } from "../../../http/describe/query-parameters.ts";
import type { Platform } from "../../platform.ts";
import { findBrowserSecret } from "./browser-secret-wire.ts";
import { CALLBACK_NAME, callbackUrl, createCallbacks } from "./sign-in-urls.ts";
import { invalidAttempt, takeCallback } from "./take-callback.ts";

const STATE_MAX = 128;
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
		callback: endpoint<undefined>()({
			name: "returnFromProvider",
			summary: "Redirect a browser back to the page",
			description:
				"The provider redirects the browser here. Only the browser that began the sign-in can finish it.",
			names: callbackNames,
			query: {
				state: exactQuery(STATE_MAX, "As sent to the provider."),
				code: exactQuery(4_096, "From the provider."),
				error: exactQuery(1_024, "From the provider."),
			},
			response: browserStep("Redirect to the page, with the outcome in the fragment."),
			errors: ["third_party_attempt.invalid"],
			secret: true,
			browser: true,
			async handle({ ids, request }) {
				const returned = {
					callbackName: ids.provider,
					browserSecret: findBrowserSecret(request),
					parameters: new URLSearchParams(request.target.replace(/^[^?]*/, "")),
				};
				return { location: await takeCallback(deps, returned, request) };
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
				return { location: `${callbackUrl(platform.publicUrl, ids.provider)}?${parameters}` };
			},
		}),
	};
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
