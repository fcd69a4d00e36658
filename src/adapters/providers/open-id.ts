// The client for OpenID Connect: code flow with PKCE and nonce, ID token, userinfo.

import { authorizationCodeGrant, buildAuthorizationUrl, customFetch, fetchUserInfo } from "openid-client";
import type { Clock } from "../../kernel/clock.ts";
import { returnedUrl, standardParameters } from "./authorization-request.ts";
import type { ProviderCalls } from "./bounded-fetch.ts";
import { type Claims, claimText, isTrue, subjectOf, withoutNull } from "./claims.ts";
import { checkKeys, createDiscovery, type Discovered, endpointOf, readIssuer } from "./discovery.ts";
import { isOtherValue, providerFailure } from "./failure.ts";
import { checkIdToken } from "./id-token.ts";
import type { Issued, OpenIdDescription, ProviderClient } from "./provider-client.ts";

export function createOpenIdClient(description: OpenIdDescription, clock: Clock): ProviderClient {
	const discover = createDiscovery(description, clock);
	return {
		...(description.hasSharedIssuer !== true && {
			checkIssuer: (calls: ProviderCalls, connection: Issued) =>
				readIssuer(calls, description.issuer(connection)),
		}),
		checkKeys: (calls, connection) => checkKeys(calls, description.issuer(connection)),
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
			const discovered = await discover(calls, connection);
			const { config, rememberKeys } = discovered;
			const tokens = await authorizationCodeGrant(config, returnedUrl(attempt, parameters), {
				expectedState: attempt.state,
				expectedNonce: attempt.nonce,
				pkceCodeVerifier: attempt.codeVerifierPlain,
				idTokenExpected: true,
				// Even after a failure, so that unknown `kid`s cause at most one read of the keys per minute.
			}).finally(rememberKeys);
			const claims = withoutNull(tokens.claims() ?? {}) as Claims;
			await checkIdToken({
				idToken: tokens.id_token ?? "",
				accessToken: tokens.access_token,
				claims,
				clientId: connection.clientId,
				nowMs: clock(),
			});
			const more =
				description.skipsUserinfo === true ? {} : await readUserinfo(discovered, tokens.access_token, claims);
			const profile = description.profile(merge(claims, more.claims ?? {}), connection, parameters);
			// Signed, because it decides the account.
			const { subjectClaim = "sub" } = connection;
			const subject =
				subjectClaim === "sub" ? profile.subject : subjectOf(claims[subjectClaim], subjectClaim);
			return { ...profile, subject, ...(more.omission === undefined ? {} : { omission: more.omission }) };
		},
	};
}

/**
 * UserInfo is optional (OpenID Connect Core 1.0, section 5.3): a response that cannot be used is left out if the ID token
 * has an address.
 *
 * @throws ProviderFailure also for another subject (5.3.2) and for a signed response that cannot be verified.
 */
async function readUserinfo(
	{ config, send }: Discovered,
	accessToken: string,
	signed: Claims,
): Promise<{ readonly claims?: Claims; readonly omission?: string }> {
	const metadata = config.serverMetadata();
	if (metadata.userinfo_endpoint === undefined) return {};
	let isSigned = false;
	config[customFetch] = async (url, options) => {
		const response = await send(url, options);
		isSigned ||= response.ok && /^application\/jwt\b/i.test(response.headers.get("content-type") ?? "");
		return response;
	};
	try {
		endpointOf(metadata, "userinfo_endpoint");
		return { claims: await fetchUserInfo(config, accessToken, String(signed.sub)) };
	} catch (error) {
		const failure = providerFailure(error, true);
		if (isSigned || isOtherValue(error) || claimText(signed.email) === null) throw failure;
		return { omission: `userinfo: ${failure.message}` };
	}
}

/**
 * Signed claims take precedence. A statement about `email_verified` counts for the address beside it; of two statements
 * about the same address, the one that denies.
 */
function merge(signed: Claims, userinfo: Claims): Claims {
	const [own, theirs] = [addressIn(signed), addressIn(userinfo)];
	const sources = [signed, ...(own === null || theirs === null || own === theirs ? [userinfo] : [])];
	const isStated = sources.some((claims) => isTrue(claims.email_verified) && addressIn(claims) !== null);
	const isDenied = sources.some(
		({ email_verified }) => email_verified !== undefined && !isTrue(email_verified),
	);
	return {
		...userinfo,
		...signed,
		email: own === null ? userinfo.email : signed.email,
		// Undefined if neither says anything.
		email_verified: isDenied ? false : isStated || undefined,
	};
}

/** As addresses are compared. */
function addressIn({ email }: Claims): string | null {
	return claimText(email)?.toLowerCase() ?? null;
}
