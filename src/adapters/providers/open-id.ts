// The client for OpenID Connect: code flow with PKCE and nonce, ID token, userinfo.

import {
	authorizationCodeGrant,
	buildAuthorizationUrl,
	type Configuration,
	fetchUserInfo,
} from "openid-client";
import type { Clock } from "../../kernel/clock.ts";
import { returnedUrl, standardParameters } from "./authorization-request.ts";
import type { Claims } from "./claims.ts";
import { createDiscovery } from "./discovery.ts";
import { providerFailure } from "./failure.ts";
import { checkIdToken } from "./id-token.ts";
import type { OpenIdDescription, ProviderClient } from "./provider-client.ts";

export function createOpenIdClient(description: OpenIdDescription, clock: Clock): ProviderClient {
	const discover = createDiscovery(description, clock);
	return {
		async authorizationUrl(calls, connection, attempt) {
			const { config } = await discover(calls, connection);
			const url = buildAuthorizationUrl(config, {
				...(await standardParameters(attempt)),
				nonce: attempt.nonce,
				scope: description.scope,
				...description.parameters,
			});
			return url.href;
		},
		async fetchProfile(calls, connection, attempt, parameters) {
			const { config, rememberKeys } = await discover(calls, connection);
			const tokens = await authorizationCodeGrant(config, returnedUrl(attempt, parameters), {
				expectedState: attempt.state,
				expectedNonce: attempt.nonce,
				pkceCodeVerifier: attempt.codeVerifierPlain,
				idTokenExpected: true,
				// Even after a failure, so that unknown `kid`s cause at most one read of the keys per minute.
			}).finally(rememberKeys);
			const claims: Claims = tokens.claims() ?? {};
			await checkIdToken({
				idToken: tokens.id_token ?? "",
				accessToken: tokens.access_token,
				claims,
				clientId: connection.clientId,
				nowMs: clock(),
			});
			const more =
				description.skipsUserinfo === true
					? {}
					: await userinfo(config, tokens.access_token, String(claims.sub));
			return description.profile(merge(claims, more), connection, parameters);
		},
	};
}

async function userinfo(config: Configuration, accessToken: string, subject: string): Promise<Claims> {
	if (config.serverMetadata().userinfo_endpoint === undefined) return {};
	try {
		return await fetchUserInfo(config, accessToken, subject);
	} catch (error) {
		throw providerFailure(error, true);
	}
}

/** Signed claims take precedence. `email` and `email_verified` always come from the same source. */
function merge(signed: Claims, userinfo: Claims): Claims {
	const from = signed.email === undefined ? userinfo : signed;
	return { ...userinfo, ...signed, email: from.email, email_verified: from.email_verified };
}
