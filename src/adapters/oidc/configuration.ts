// The configuration of the library: enabled features, and the functions that it calls.

import { type Client, type Context, errors, type Payload, type Token } from "oidc-provider";
import { DEVICE_CODE_SECONDS } from "../../domain/device-code.ts";
import { OPENID_SCOPES } from "../../domain/oauth-scope.ts";
import { MULTI_FACTOR_ACR } from "../../domain/openid-provider.ts";
import { hasPrivateScheme } from "../../domain/redirect-uri.ts";
import { ACCESS_TOKEN_SECONDS, REFRESH_ABSOLUTE_SECONDS } from "../../domain/session.ts";
import { findAccount } from "./account.ts";
import { createAdapters, INTERACTION_SECONDS } from "./adapters.ts";
import { CLIENT_SIGNATURES, checkAssertion } from "./client-assertions.ts";
import { CLIENT_PROFILE, PKCE_POLICY, SECRET_DIGESTS } from "./client-metadata.ts";
import { deviceOf } from "./devices.ts";
import { mayIntrospect } from "./introspection.ts";
import { ID_JAG } from "./issue-assertion.ts";
import { theCall } from "./library-call.ts";
import type { LibraryParts, PrivateKeyJwk } from "./parts.ts";
import { codeSeconds, requiresChallenge } from "./pkce.ts";
import { createPolicy, loadGrant, SELECT_ACCOUNT } from "./policy.ts";
import { nameInToken } from "./programs.ts";
import type { Records } from "./records.ts";
import { refusalFor } from "./refusal-page.ts";
import { apiTokenClaims, resourceIndicators } from "./resources.ts";
import { PROOF_SIGNATURES } from "./used-proofs.ts";

/** Cookie names of the library; the first carries Latchkey's session id. */
export const COOKIES = { session: "session", interaction: "interaction", resume: "resume" };

const OFF = { enabled: false };
const ON = { enabled: true };
const SIGNATURES = ["ES256", "RS256", "PS256"];

export function createConfiguration(
	parts: LibraryParts,
	records: Records,
	keys: readonly PrivateKeyJwk[],
): Payload {
	return {
		adapter: createAdapters(parts, records),
		jwks: { keys },
		routes: {
			authorization: "/oauth/authorize",
			pushed_authorization_request: "/oauth/par",
			device_authorization: "/oauth/device-authorization",
			code_verification: "/oauth/device",
			token: "/oauth/token",
			userinfo: "/oauth/userinfo",
			introspection: "/oauth/introspect",
			revocation: "/oauth/revoke",
			jwks: "/.well-known/jwks.json",
		},
		features: {
			clientCredentials: ON,
			devInteractions: OFF,
			deviceFlow: { ...ON, charset: "base-20", mask: "****-****", deviceInfo: deviceOf },
			dPoP: ON,
			pushedAuthorizationRequests: ON,
			resourceIndicators: resourceIndicators(parts),
			rpInitiatedLogout: OFF,
			introspection: {
				...ON,
				allowedPolicy: (_context: Context, client: Client, token: Token) =>
					mayIntrospect(parts, client, token),
			},
			revocation: { ...ON, allowedPolicy: mayRevoke },
			userinfo: ON,
		},
		// Latchkey serves these: the library would show its own pages, keep a session, and call relying parties in a
		// request.
		discovery: {
			end_session_endpoint: `${parts.issuer}/oauth/end-session`,
			backchannel_logout_supported: true,
			backchannel_logout_session_supported: true,
			authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
			identity_chaining_requested_token_types_supported: [ID_JAG],
			prompt_values_supported: ["none", "login", "consent", SELECT_ACCOUNT],
		},
		responseTypes: ["code"],
		scopes: OPENID_SCOPES,
		acrValues: [MULTI_FACTOR_ACR],
		claims: {
			openid: ["sub", "auth_time", "acr", "amr", "sid"],
			profile: ["name", "preferred_username", "picture", "locale", "updated_at"],
			email: ["email", "email_verified"],
			roles: ["roles", "permissions", "groups"],
		},
		// Clients find names and roles in the ID token, not only at the userinfo endpoint.
		conformIdTokenClaims: false,
		clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
		clientDefaults: { id_token_signed_response_alg: "ES256" },
		enabledJWA: {
			idTokenSigningAlgValues: SIGNATURES,
			// Copied, because the library removes algorithms that no method needs.
			clientAuthSigningAlgValues: [...CLIENT_SIGNATURES],
			dPoPSigningAlgValues: PROOF_SIGNATURES,
		},
		assertJwtClientAuthClaimsAndHeader: checkAssertion,
		extraClientMetadata: {
			properties: [CLIENT_PROFILE, PKCE_POLICY, SECRET_DIGESTS],
			validator: () => undefined,
		},
		pkce: { required: requiresChallenge },
		acceptQueryParamAccessTokens: false,
		allowOmittingSingleRegisteredRedirectUri: false,
		cookies: { names: COOKIES },
		ttl: {
			AccessToken: ACCESS_TOKEN_SECONDS,
			AuthorizationCode: codeSeconds,
			ClientCredentials: ACCESS_TOKEN_SECONDS,
			DeviceCode: DEVICE_CODE_SECONDS,
			Grant: REFRESH_ABSOLUTE_SECONDS,
			IdToken: ACCESS_TOKEN_SECONDS,
			Interaction: INTERACTION_SECONDS,
			RefreshToken: REFRESH_ABSOLUTE_SECONDS,
			Session: REFRESH_ABSOLUTE_SECONDS,
		},
		clientBasedCORS: (_context: Context, origin: string, client: Client) =>
			// A private-use scheme has the origin `null`, as sandboxed pages of any site do.
			client.redirectUris.some((uri) => !hasPrivateScheme(uri) && URL.parse(uri)?.origin === origin),
		// Codes and tokens are revoked with their grant, and the grant with its session.
		expiresWithSession: () => false,
		issueRefreshToken: () => true,
		// FAPI 2.0 Security Profile, section 5.3.2.1: the token is bound to the key of the client.
		rotateRefreshToken: ({ oidc }: Context) => oidc.client?.client_profile !== "fapi2",
		interactions: {
			policy: createPolicy(parts),
			url: (_context: Context, { uid, prompt }: { uid: string; prompt: { name: string } }) =>
				`${parts.issuer}/${prompt.name === "consent" ? "consent" : "sign-in"}?interaction=${uid}`,
		},
		formats: { customizers: { jwt: nameInToken } },
		extraTokenClaims: (context: Context, token: Token) => apiTokenClaims(parts, context, token),
		loadExistingGrant: (context: Context) => loadGrant(parts, context),
		findAccount: (context: Context, userId: string, token?: Token) =>
			findAccount(parts, context, userId, token),
		renderError(context: Context, fault: Payload) {
			const refusal = refusalFor(parts.issuer, context, fault);
			theCall().refuse(refusal);
			context.type = "json";
			context.body = { error: refusal.error, error_description: refusal.description };
		},
		fetch: () => Promise.reject(new Error("the provider makes no outbound requests")),
	};
}

/** @throws InvalidRequest for a token of another client; a public client is unauthenticated and learns nothing. */
function mayRevoke(_context: Context, client: Client, { clientId }: { readonly clientId: string }): boolean {
	if (clientId === client.clientId) return true;
	if (client.clientAuthMethod === "none") return false;
	throw new errors.InvalidRequest("the token belongs to another client");
}
