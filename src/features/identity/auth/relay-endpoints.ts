// `/external/auth`: the server of an application signs users in, and refreshes their sessions.

import type { CallingClient } from "../../../domain/signing-client.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { object } from "../../../http/schema.ts";
import type { Platform } from "../../platform.ts";
import { refreshRelayed } from "./refresh-session.ts";
import { RELAY_RULE, relayedCount, relayedOrigin, relayFields } from "./relay-wire.ts";
import { loginFields, refreshFields } from "./session-endpoints.ts";
import { signIn } from "./sign-in.ts";
import { signInSchema, tokensSchema, toWireSignIn, toWireTokens } from "./sign-in-wire.ts";

export function relayEndpoints(platform: Platform) {
	return {
		login: endpoint<CallingClient>()({
			name: "relayLogin",
			summary: "Sign in a user of the client's application",
			description: `${RELAY_RULE} Answers as \`POST /auth/login\` does; with a second factor due, go on with \`POST /external/auth/mfa\`.`,
			body: object({ ...loginFields, ...relayFields }),
			answer: data(200, signInSchema, "Signed in, or a second factor is due."),
			errors: [
				"credentials.invalid",
				"account.disabled",
				"application.access_denied",
				"login.too_many",
				"service.overloaded",
			],
			secret: true,
			countedAs: ({ caller, body }) => relayedCount(caller, body),
			async handle({ caller, body, request }) {
				const { appId } = caller;
				const credentials = { name: body.username, passwordPlain: body.password, appId };
				const visitor = { ...caller, origin: relayedOrigin(caller, body, request) };
				return toWireSignIn(await signIn(platform, credentials, visitor));
			},
		}),

		refresh: endpoint<CallingClient>()({
			name: "relayRefresh",
			summary: "Exchange a refresh token of the client's application for new tokens",
			description: `${RELAY_RULE} Answers as \`POST /auth/refresh\` does; a token of another application is 401.`,
			body: object({ ...refreshFields, ...relayFields }),
			answer: data(200, tokensSchema, "Signed in."),
			errors: ["refresh_token.invalid", "account.disabled", "application.access_denied", "mfa.required"],
			secret: true,
			countedAs: ({ caller, body }) => relayedCount(caller, body),
			handle: async ({ caller, body, request }) =>
				toWireTokens(
					await refreshRelayed(platform, body.refresh_token, caller, relayedOrigin(caller, body, request)),
				),
		}),
	};
}
