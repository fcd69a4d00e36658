// DingTalk login for websites.

import { type Claims, claimText, claimUrl, subjectOf, subjectsOf } from "../claims.ts";
import { reportedError } from "../failure.ts";
import { accessTokenOf, requestJson, returnedCode } from "../json-request.ts";
import type { ProviderClient } from "../provider-client.ts";

const API = "https://api.dingtalk.com/v1.0";
/** Error codes that concern the client or its permissions. */
const ABOUT_CLIENT = /client|appkey|appsecret|permission|forbidden/i;

/**
 * Source: https://open.dingtalk.com/document/orgapp/tutorial-obtaining-user-personal-information (the sign-in page),
 * https://open.dingtalk.com/document/orgapp/obtain-user-token and
 * https://open.dingtalk.com/document/orgapp/dingtalk-retrieve-user-information.
 *
 * Differences: the callback parameter is `authCode`. The token endpoint uses camel-case JSON, with the token in
 * `accessToken`. The API expects the token in its own header. There is no PKCE or nonce. A user has an `openId` per app
 * and a `unionId` across all apps of one organization. Email addresses are not marked as verified.
 */
export const dingtalk: ProviderClient = {
	async authorizationUrl(_calls, { clientId }, attempt) {
		const query = new URLSearchParams({
			redirect_uri: attempt.callbackUrl,
			response_type: "code",
			client_id: clientId,
			scope: "openid",
			state: attempt.state,
			prompt: "consent",
		});
		return `https://login.dingtalk.com/oauth2/auth?${query}`;
	},
	async fetchProfile(calls, connection, attempt, parameters) {
		const { status, body: tokens } = await requestJson(calls, {
			url: `${API}/oauth2/userAccessToken`,
			json: {
				clientId: connection.clientId,
				clientSecret: connection.clientSecretPlain,
				code: returnedCode(parameters, attempt.state, parameters.has("authCode") ? "authCode" : "code"),
				grantType: "authorization_code",
			},
		});
		checkResponse(status, tokens);
		const response = await requestJson(calls, {
			url: `${API}/contact/users/me`,
			headers: { "x-acs-dingtalk-access-token": accessTokenOf(tokens.accessToken) },
		});
		checkResponse(response.status, response.body);
		const person = response.body;
		return {
			...subjectsOf(subjectOf(person.openId, "openId"), person.unionId, "unionId"),
			email: claimText(person.email),
			isEmailVerified: false,
			username: null,
			displayName: claimText(person.nick),
			avatarUrl: claimUrl(person.avatarUrl),
		};
	},
};

function checkResponse(status: number, { code }: Claims): void {
	if (status === 200 && code === undefined) return;
	throw reportedError(code ?? status, (name) => (ABOUT_CLIENT.test(name) ? "misconfigured" : undefined));
}
