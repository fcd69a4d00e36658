// GitHub.com, and GitHub Enterprise Server.

import {
	authorizationCodeGrant,
	buildAuthorizationUrl,
	ClientSecretPost,
	Configuration,
	customFetch,
	fetchProtectedResource,
} from "openid-client";
import { type ProviderConnection, ProviderFailure } from "../../../domain/provider-gateway.ts";
import { isMembers, parseJson } from "../../../kernel/shape.ts";
import { returnedUrl, standardParameters } from "../authorization-request.ts";
import type { ProviderCalls } from "../bounded-fetch.ts";
import { type Claims, claimText, claimUrl } from "../claims.ts";
import { errorResponse, providerFailure } from "../failure.ts";
import type { ProviderClient } from "../provider-client.ts";
import { issuerUrl } from "./oidc.ts";

const SCOPE = "read:user user:email";

/**
 * Source: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps,
 * https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors,
 * https://docs.github.com/en/rest/users/users and https://docs.github.com/en/rest/users/emails.
 *
 * Differences: OAuth 2.0 only, without ID token and nonce. The token endpoint reports errors with status 200. The
 * subject is the number `id`, because a `login` can be released and reused. `/user` has the public address only, so the
 * primary address of `/user/emails` is used, which has its own `verified`. The issuer of an Enterprise Server is its
 * base URL, with the API under `/api/v3`.
 */
export const github: ProviderClient = {
	async authorizationUrl(calls, connection, attempt) {
		const url = buildAuthorizationUrl(configure(calls, connection), {
			...(await standardParameters(attempt)),
			scope: SCOPE,
		});
		return url.href;
	},
	async fetchProfile(calls, connection, attempt, parameters) {
		const config = configure(calls, connection);
		const url = returnedUrl(attempt, parameters);
		// Each provider has its own callback (RFC 9700, 4.4.2.2), and GitHub documents no issuer to compare with.
		url.searchParams.delete("iss");
		const { access_token } = await authorizationCodeGrant(config, url, {
			expectedState: attempt.state,
			pkceCodeVerifier: attempt.codeVerifierPlain,
		});
		const api = apiOf(connection);
		const read = (path: string) => readApi(config, access_token, new URL(api + path));
		const [user, emails] = await Promise.all([read("/user"), read("/user/emails")]);
		return profileOf(isMembers(user) ? user : {}, emails);
	},
};

function profileOf(user: Claims, emails: unknown) {
	if (typeof user.id !== "number" || !Number.isSafeInteger(user.id) || user.id <= 0)
		throw new ProviderFailure("invalid_answer", "the provider returned no usable id");
	const primary = Array.isArray(emails)
		? emails.find((entry: Claims | null) => entry?.primary === true)
		: undefined;
	const email = claimText(primary?.email);
	return {
		subject: String(user.id),
		otherSubjects: [],
		email,
		isEmailVerified: email !== null && primary.verified === true,
		username: claimText(user.login),
		displayName: claimText(user.name),
		avatarUrl: claimUrl(user.avatar_url),
	};
}

function siteOf({ issuer }: ProviderConnection): string {
	return issuer === null ? "https://github.com" : issuerUrl(issuer).replace(/\/$/, "");
}

function apiOf(connection: ProviderConnection): string {
	const site = siteOf(connection);
	return site === "https://github.com" ? "https://api.github.com" : `${site}/api/v3`;
}

function configure(calls: ProviderCalls, connection: ProviderConnection): Configuration {
	const site = siteOf(connection);
	const config = new Configuration(
		{
			issuer: site,
			authorization_endpoint: `${site}/login/oauth/authorize`,
			token_endpoint: `${site}/login/oauth/access_token`,
		},
		connection.clientId,
		undefined,
		ClientSecretPost(connection.clientSecretPlain),
	);
	config[customFetch] = async (url, options) => {
		const response = await calls.fetch(url, options);
		if (!response.ok || !url.endsWith("/login/oauth/access_token")) return response;
		const text = await response.text();
		const error = /^\s*\{/.test(text) ? parseJson(isMembers, text).error : undefined;
		if (error !== undefined) throw errorResponse(error);
		return new Response(text, { status: response.status, headers: response.headers });
	};
	return config;
}

async function readApi(config: Configuration, accessToken: string, url: URL): Promise<unknown> {
	const headers = new Headers({
		accept: "application/vnd.github+json",
		"x-github-api-version": "2022-11-28",
	});
	try {
		const response = await fetchProtectedResource(config, accessToken, url, "GET", null, headers);
		if (response.status === 200) return await response.json();
		throw new ProviderFailure("invalid_answer", `${url.hostname}: returned status ${response.status}`);
	} catch (error) {
		throw providerFailure(error, true);
	}
}
