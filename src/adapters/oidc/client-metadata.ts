// Converts an OAuth client to client metadata of the library (OpenID Connect Dynamic Client Registration 1.0, section
// 2).

import type { Payload } from "oidc-provider";
import {
	type ClientJwks,
	hasSecret,
	type PresentedOAuthClient,
	signsPeopleIn,
} from "../../domain/oauth-client.ts";

/** Holds the digests of the valid secrets; the library never sees a secret. */
export const SECRET_DIGESTS = "secret_digests";

/** Holds the `PkcePolicy`. */
export const PKCE_POLICY = "pkce_policy";

/** Holds the `ClientProfile`. */
export const CLIENT_PROFILE = "client_profile";

/** The grant type of RFC 8628. */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** The grant type of RFC 8693. Which clients may use it, and for which APIs, is decided by each request. */
export const EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The grant type of RFC 7523, section 2.1: for clients that sign users in and authenticate. */
export const JWT_BEARER_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

const LOOPBACKS = ["localhost", "127.0.0.1", "[::1]"];

/** @param publishedKeys the keys at `jwksUri`, which the library does not read itself, or those of workloads. */
export function clientMetadata(
	client: PresentedOAuthClient,
	secretDigests: readonly string[],
	publishedKeys: ClientJwks,
): Payload {
	const { applicationId, type, authMethod, application } = client;
	// The token of a workload is replaced by an assertion before the library reads it.
	const hasKeys = authMethod === "private_key_jwt" || authMethod === "workload";
	const isNative = type === "native";
	const signsIn = signsPeopleIn(type);
	const redirectUris = signsIn ? application.redirectUris.filter((uri) => isUsable(uri, isNative)) : [];
	return {
		client_id: applicationId,
		client_name: application.name,
		application_type: isNative ? "native" : "web",
		redirect_uris: redirectUris,
		post_logout_redirect_uris: client.postLogoutRedirectUris.filter((uri) => isUsable(uri, isNative)),
		// A device without a browser has no redirect URI, so no code is issued to it.
		response_types: signsIn && (!isNative || redirectUris.length > 0) ? ["code"] : [],
		response_modes: client.responseModes,
		grant_types: [
			...(signsIn ? ["authorization_code", "refresh_token"] : ["client_credentials"]),
			...(client.deviceFlow ? [DEVICE_GRANT] : []),
			EXCHANGE_GRANT,
			...(signsIn && authMethod !== "none" ? [JWT_BEARER_GRANT] : []),
		],
		token_endpoint_auth_method: hasKeys ? "private_key_jwt" : authMethod,
		...(signsIn ? { id_token_signed_response_alg: client.idTokenAlg } : {}),
		...(hasKeys ? { jwks: client.jwks ?? publishedKeys } : {}),
		// The library requires a value; `compareClientSecret` compares digests.
		...(hasSecret(authMethod) ? { client_secret: "compared by digest" } : {}),
		...(client.profile === "fapi2" && {
			require_pushed_authorization_requests: true,
			dpop_bound_access_tokens: true,
		}),
		[CLIENT_PROFILE]: client.profile,
		[PKCE_POLICY]: client.pkce,
		[SECRET_DIGESTS]: secretDigests,
	};
}

/** The library refuses a client if any of its URIs is unsupported, so these are left out. */
function isUsable(uri: string, isNative: boolean): boolean {
	const url = URL.parse(uri);
	if (url === null || url.href.includes("#")) return false;
	if (url.protocol === "https:") return !(isNative && LOOPBACKS.includes(url.hostname));
	if (url.protocol === "http:") return !isNative || LOOPBACKS.includes(url.hostname);
	return isNative;
}
