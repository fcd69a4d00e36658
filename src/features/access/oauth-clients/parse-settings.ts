// Validates the settings of an OAuth client.

import { readClientKeys } from "../../../crypto/client-jwks.ts";
import { checkAssertionAudiences } from "../../../domain/assertion.ts";
import {
	AUTH_METHODS_OF_TYPE,
	CLAIM_ATTRIBUTES,
	CLIENT_JWKS_MAX,
	type ClientAuthMethod,
	type ClientClaim,
	type ClientJwks,
	type ClientProfile,
	ID_TOKEN_ALGS,
	type OAuthClientSettings,
	type OAuthClientType,
	PKCE_OF_TYPE,
	type PkcePolicy,
	RESPONSE_MODES_OF_TYPE,
	type ResponseMode,
	signsPeopleIn,
} from "../../../domain/oauth-client.ts";
import { parseWorkloads } from "../../../domain/parse-workloads.ts";
import { parseCalledUrl, type UrlRule } from "../../../kernel/called-url.ts";
import { invalidEntries, invalidField, invalidFields } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { parseRedirectUris } from "../applications/redirect-uri.ts";

/** As sent: absent fields have their defaults. */
export type GivenSettings = Pick<OAuthClientSettings, "type"> & {
	readonly [Field in keyof OAuthClientSettings]?: OAuthClientSettings[Field] | undefined;
};

interface AddressRules extends UrlRule {
	readonly publicUrl: string;
}

/** An absolute URI without a fragment (RFC 8707, section 2). */
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21\x22\x24-\x5b\x5d-\x7e]+$/;

/** @throws AppError `request.invalid`, naming the field. The caller checks that `allowedResources` exist. */
export function parseSettings(given: GivenSettings, rules: AddressRules): OAuthClientSettings {
	const { type, backchannelLogoutUri = null, resource = null, assertionAudiences = [] } = given;
	if (!signsPeopleIn(type)) checkOfService(given);
	const authMethod = parseAuthMethod(type, given.authMethod);
	const { profile = "none", claims = [] } = given;
	checkProfile(given, profile, authMethod);
	checkClaims(claims, type);
	const { isWebhookAddress: isAllowed, publicUrl } = rules;
	checkAssertionAudiences(assertionAudiences, authMethod === "none", publicUrl);
	return {
		type,
		authMethod,
		postLogoutRedirectUris: parseRedirectUris(
			given.postLogoutRedirectUris ?? [],
			"post_logout_redirect_uris",
		),
		backchannelLogoutUri: parseCalledUrl("backchannel_logout_uri", backchannelLogoutUri, isAllowed),
		firstParty: given.firstParty ?? false,
		idTokenAlg: given.idTokenAlg ?? (profile === "fapi2" ? "ES256" : ID_TOKEN_ALGS[0]),
		pkce: parsePkce(type, given.pkce),
		deviceFlow: parseDeviceFlow(type, given.deviceFlow),
		responseModes: parseResponseModes(
			type,
			given.responseModes ?? (profile === "fapi2" ? ["query"] : undefined),
		),
		...parseKeys(authMethod, given, isAllowed),
		resource: resource === null ? null : parseResource(resource, publicUrl),
		allowedResources: given.allowedResources ?? [],
		actsForPeople: parseActsForPeople(authMethod, given),
		workloads: parseWorkloads(authMethod, given.workloads),
		assertionAudiences,
		profile,
		claims,
	};
}

/**
 * Names every setting that contradicts the profile, so that one correction suffices.
 *
 * @throws AppError `request.invalid`
 */
function checkProfile(given: GivenSettings, profile: ClientProfile, authMethod: ClientAuthMethod): void {
	if (profile !== "fapi2") return;
	const { type, idTokenAlg = "ES256", pkce = "required", deviceFlow = false } = given;
	const needed = (field: string, isMet: boolean, values: readonly string[]) =>
		isMet ? [] : [{ field, ...problem("for_profile", { profile, values }) }];
	const refused = given.jwks?.keys.some(({ alg }) => alg === "RS256") === true;
	const problems = [
		...needed("type", type === "web", ["web"]),
		...needed("auth_method", authMethod === "private_key_jwt", ["private_key_jwt"]),
		...needed("jwks.keys", !refused, ["ES256", "PS256", "EdDSA"]),
		...needed("id_token_alg", idTokenAlg !== "RS256", ["ES256", "PS256"]),
		...needed("pkce", pkce === "required", ["required"]),
		...needed("device_flow", !deviceFlow, ["false"]),
		...needed("response_modes", given.responseModes?.some((mode) => mode !== "query") !== true, ["query"]),
	];
	if (problems.length > 0) throw invalidFields(problems);
}

/** @throws AppError `request.invalid` */
function checkClaims(claims: readonly ClientClaim[], type: OAuthClientType): void {
	if (claims.length > 0 && !signsPeopleIn(type)) throw invalidField("claims", "absent_for_service");
	const problems = claims.flatMap(({ name, from, value }, index) => {
		const field = `claims.${index}`;
		if (REGISTERED_CLAIMS.has(name)) return [{ field: `${field}.name`, ...problem("registered_claim") }];
		if (claims.findIndex((other) => other.name === name) < index)
			return [{ field: `${field}.name`, ...problem("duplicate") }];
		const isKnown = from !== "attribute" || (CLAIM_ATTRIBUTES as readonly string[]).includes(value);
		return isKnown ? [] : [{ field: `${field}.value`, ...problem("one_of", { values: CLAIM_ATTRIBUTES }) }];
	});
	if (problems.length > 0) throw invalidFields(problems);
}

/** Those of JWTs, OAuth, and OpenID Connect that this service or a library reads (the IANA registry), and the names of objects. */
const REGISTERED_CLAIMS: ReadonlySet<string> = new Set(
	`iss sub aud exp nbf iat jti name given_name family_name middle_name nickname preferred_username profile picture website
	email email_verified gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at azp nonce auth_time
	at_hash c_hash acr amr sub_jwk cnf sid sip_from_tag events toe txn act scope client_id may_act jcard at_use_nbr div opt tdb
	roles groups entitlements token_introspection permissions tenant_id grant_id s_hash _claim_names _claim_sources token_type
	active username constructor prototype htm htu ath rsi vot vtm attest orig dest typ`.split(/\s+/),
);

/** A client that acts for people authenticates, and is an API itself: it exchanges the tokens that were sent to it. */
function parseActsForPeople(
	authMethod: ClientAuthMethod,
	{ actsForPeople = [], allowedResources = [], resource = null }: GivenSettings,
): readonly string[] {
	if (actsForPeople.length === 0) return [];
	if (authMethod === "none") throw invalidField("acts_for_people", "absent_for_public");
	if (resource === null) throw invalidField("acts_for_people", "resource_required");
	const problems = actsForPeople.flatMap((acted, index) =>
		allowedResources.includes(acted) ? [] : [{ index, problem: problem("not_allowed_resource") }],
	);
	if (problems.length > 0) throw invalidEntries("acts_for_people", problems);
	return actsForPeople;
}

/** Refuses sign-in settings, which have no meaning for a client that signs no users in. */
function checkOfService(given: GivenSettings): void {
	const reason = "absent_for_service";
	if ((given.postLogoutRedirectUris ?? []).length > 0)
		throw invalidField("post_logout_redirect_uris", reason);
	if ((given.backchannelLogoutUri ?? null) !== null) throw invalidField("backchannel_logout_uri", reason);
	if (given.firstParty === true) throw invalidField("first_party", reason);
	if ((given.responseModes ?? []).length > 0) throw invalidField("response_modes", reason);
	if ((given.assertionAudiences ?? []).length > 0) throw invalidField("assertion_audiences", reason);
}

function parseAuthMethod(type: OAuthClientType, given: ClientAuthMethod | undefined): ClientAuthMethod {
	const allowed = AUTH_METHODS_OF_TYPE[type];
	const method = given ?? allowed[0];
	if (allowed.includes(method)) return method;
	throw invalidField("auth_method", "one_of_for_type", { values: allowed, type });
}

function parsePkce(type: OAuthClientType, given: PkcePolicy | undefined): PkcePolicy {
	const allowed = PKCE_OF_TYPE[type];
	const pkce = given ?? allowed[0];
	if (allowed.includes(pkce)) return pkce;
	throw invalidField("pkce", "one_of_for_type", { values: allowed, type });
}

function parseDeviceFlow(type: OAuthClientType, given = false): boolean {
	if (given && type !== "native") throw invalidField("device_flow", "false_unless_native");
	return given;
}

function parseResponseModes(
	type: OAuthClientType,
	given: readonly ResponseMode[] | undefined,
): readonly ResponseMode[] {
	const allowed = RESPONSE_MODES_OF_TYPE[type];
	const modes = given ?? allowed;
	if (modes.length === 0 && allowed.length > 0) throw invalidField("response_modes", "empty");
	const problems = modes.flatMap((mode, index) =>
		allowed.includes(mode) ? [] : [{ index, problem: problem("one_of_for_type", { values: allowed, type }) }],
	);
	if (problems.length > 0) throw invalidEntries("response_modes", problems);
	return modes;
}

function parseKeys(
	method: ClientAuthMethod,
	{ jwks = null, jwksUri = null }: GivenSettings,
	isAllowed: AddressRules["isWebhookAddress"],
): Pick<OAuthClientSettings, "jwks" | "jwksUri"> {
	if (method !== "private_key_jwt") {
		const reason = "absent_without_keys";
		if (jwks !== null) throw invalidField("jwks", reason);
		if (jwksUri !== null) throw invalidField("jwks_uri", reason);
		return { jwks, jwksUri };
	}
	if (jwks === null && jwksUri === null) throw invalidField("jwks", "keys_required");
	if (jwks !== null && jwksUri !== null) throw invalidField("jwks_uri", "absent_with_jwks");
	return { jwks: jwks && parseJwks(jwks), jwksUri: parseCalledUrl("jwks_uri", jwksUri, isAllowed) };
}

function parseJwks({ keys: given }: ClientJwks): ClientJwks {
	if (given.length === 0 || given.length > CLIENT_JWKS_MAX)
		throw invalidField("jwks.keys", "keys_count", { max: CLIENT_JWKS_MAX });
	const { keys, problems } = readClientKeys(given);
	if (problems.length > 0) throw invalidEntries("jwks.keys", problems);
	return { keys };
}

/** Refuses the service's own URL, which would let an application obtain tokens for the service itself. */
function parseResource(text: string, publicUrl: string): string {
	const url = ABSOLUTE_URI.test(text) ? URL.parse(text) : null;
	if (url === null) throw invalidField("resource", "resource_uri");
	if (url.username !== "" || url.password !== "") throw invalidField("resource", "url_credentials");
	if (url.origin === new URL(publicUrl).origin) throw invalidField("resource", "own_url");
	return text;
}
