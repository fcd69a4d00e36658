// An OAuth client: an application that signs users in with OpenID Connect, or gets tokens with OAuth.

import { AppError, invalidEntries } from "../kernel/error.ts";
import { problem } from "../kernel/field-reason.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { Application } from "./application.ts";
import type { AssertionAudience } from "./assertion.ts";
import type { Workload } from "./workload.ts";

/**
 * `web`: a server that keeps a secret or a key; `spa`: an application in the browser; `native`: an application on a
 * user's device;
 * `service`: a client that acts for itself and signs in no users.
 */
export const OAUTH_CLIENT_TYPES = ["web", "spa", "native", "service"] as const;
export type OAuthClientType = (typeof OAUTH_CLIENT_TYPES)[number];

/**
 * How a client authenticates at the token endpoint (OpenID Connect Core, section 9). `workload`: with a token that the
 * platform of a workload issued (RFC 7523, section 2.2), so there is no secret.
 */
export const CLIENT_AUTH_METHODS = [
	"client_secret_basic",
	"client_secret_post",
	"private_key_jwt",
	"workload",
	"none",
] as const;
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number];

/**
 * The methods of each type, its default first. Clients on users' devices cannot keep a secret (RFC 6749, section 2.1).
 */
export const AUTH_METHODS_OF_TYPE: Readonly<
	Record<OAuthClientType, readonly [ClientAuthMethod, ...ClientAuthMethod[]]>
> = {
	web: ["client_secret_basic", "client_secret_post", "private_key_jwt", "workload"],
	spa: ["none"],
	native: ["none"],
	service: ["client_secret_basic", "client_secret_post", "private_key_jwt", "workload"],
};

/** Signatures of ID tokens; the first is the default (OpenID Connect Core, section 15.1). */
export const ID_TOKEN_ALGS = ["RS256", "ES256", "PS256"] as const;
export type IdTokenAlg = (typeof ID_TOKEN_ALGS)[number];

/**
 * Whether authorization requests must carry a code challenge (RFC 7636). Without one, `optional` needs a nonce, and `off`
 * only a state: for programs that can send neither.
 */
export const PKCE_POLICIES = ["required", "optional", "off"] as const;
export type PkcePolicy = (typeof PKCE_POLICIES)[number];

/** The policies of each type, its default first. A public client has only PKCE to bind its code (RFC 9700, 2.1.1). */
export const PKCE_OF_TYPE: Readonly<Record<OAuthClientType, readonly [PkcePolicy, ...PkcePolicy[]]>> = {
	web: ["required", "optional", "off"],
	spa: ["required"],
	native: ["required"],
	service: ["required"],
};

/**
 * `fapi2`: the FAPI 2.0 Security Profile. Pushed requests, a key instead of a secret, tokens bound by DPoP, and refresh tokens
 * that are not rotated (section 5.3.2.1).
 */
export const CLIENT_PROFILES = ["none", "fapi2"] as const;
export type ClientProfile = (typeof CLIENT_PROFILES)[number];

/** Where the value of a claim of a client comes from. */
export const CLAIM_SOURCES = ["attribute", "group", "constant"] as const;
/** Attributes of a user that a claim may have; the last two are those of the user's directory. */
export const CLAIM_ATTRIBUTES = [
	"username",
	"email",
	"display_name",
	"locale",
	"avatar_url",
	"department",
	"manager",
] as const;
export type ClaimAttribute = (typeof CLAIM_ATTRIBUTES)[number];
export const CLAIM_NAME = /^[A-Za-z][A-Za-z0-9_.:/-]*$/;
export const CLIENT_CLAIMS_MAX = 20;
export const CLAIM_NAME_MAX = 64;
export const CLAIM_VALUE_MAX = 256;

/** A claim of ID tokens and UserInfo: an attribute, whether the user is in a group, or a constant text. */
export interface ClientClaim {
	readonly name: string;
	readonly from: (typeof CLAIM_SOURCES)[number];
	/** The attribute, the name of the group, or the text. */
	readonly value: string;
}

/** How the response of `/oauth/authorize` reaches the client. */
export const RESPONSE_MODES = ["query", "form_post", "fragment"] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** The modes of each type, all of them by default. A fragment reaches scripts of the page, which only `spa` needs. */
export const RESPONSE_MODES_OF_TYPE: Readonly<Record<OAuthClientType, readonly ResponseMode[]>> = {
	web: ["query", "form_post"],
	spa: ["query", "fragment"],
	native: ["query"],
	service: [],
};

/** Limits: lists in entries, texts in characters. A resource is part of an index. */
export const POST_LOGOUT_REDIRECT_URIS_MAX = 20;
export const OAUTH_URL_MAX = 2048;
export const RESOURCE_MAX = 512;
export const ALLOWED_RESOURCES_MAX = 50;
/** APIs that discovery lists. */
export const PUBLISHED_RESOURCES_MAX = 100;
export const CLIENT_JWKS_MAX = 10;

/** Public keys (RFC 7517) without private members. */
export interface ClientJwks {
	readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** What an administrator configures. */
export interface OAuthClientSettings {
	readonly type: OAuthClientType;
	readonly authMethod: ClientAuthMethod;
	/** Compared exactly. */
	readonly postLogoutRedirectUris: readonly string[];
	readonly backchannelLogoutUri: string | null;
	/** Whether the application is the operator's own: users are not asked for consent. */
	readonly firstParty: boolean;
	readonly idTokenAlg: IdTokenAlg;
	readonly pkce: PkcePolicy;
	/** Whether it may start device sign-ins (RFC 8628). Only for `native`: anyone who knows the client ID can start one. */
	readonly deviceFlow: boolean;
	readonly responseModes: readonly ResponseMode[];
	/** For `private_key_jwt`, which needs either this or `jwksUri`. */
	readonly jwks: ClientJwks | null;
	readonly jwksUri: string | null;
	/**
	 * Identifies the application as an API for which tokens are issued (RFC 8707). Unique in the tenant; tokens are issued
	 * for the tenant to which it is assigned.
	 */
	readonly resource: string | null;
	/** Resources of the tenant for which this client may get tokens. */
	readonly allowedResources: readonly string[];
	/** Those of `allowedResources` at which this client may act for people who called it (RFC 8693). */
	readonly actsForPeople: readonly string[];
	/** Whose tokens authenticate the client; only for `workload`, which needs at least one. */
	readonly workloads: readonly Workload[];
	/** The authorization servers to which this client may carry its users; only for `web`. One entry for each issuer. */
	readonly assertionAudiences: readonly AssertionAudience[];
	readonly profile: ClientProfile;
	/** Names are unique, and none is registered. */
	readonly claims: readonly ClientClaim[];
}

/** The values of settings that a new client of any type gets unless others are given. */
export const CLIENT_DEFAULTS = {
	postLogoutRedirectUris: [],
	backchannelLogoutUri: null,
	firstParty: false,
	idTokenAlg: ID_TOKEN_ALGS[0],
	pkce: "required",
	deviceFlow: false,
	responseModes: [],
	jwks: null,
	jwksUri: null,
	resource: null,
	allowedResources: [],
	actsForPeople: [],
	workloads: [],
	assertionAudiences: [],
	profile: "none",
	claims: [],
} as const satisfies Partial<OAuthClientSettings>;

export interface OAuthClient extends OAuthClientSettings {
	/** Also its `client_id`. */
	readonly applicationId: string;
	readonly tenantId: string;
	/** Last four characters of the secret; `""` without one. */
	readonly secretHint: string;
	readonly secretCreatedAtMs: number | null;
	readonly previousSecretExpiresAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** The stored form of the secrets; see `tokenDigest`. */
export interface OAuthSecretDigests {
	readonly secretDigest: string | null;
	/** Valid until `previousSecretExpiresAtMs`; never valid without that time. */
	readonly previousSecretDigest: string | null;
}

export type StoredOAuthClient = OAuthClient & OAuthSecretDigests;

export interface NewOAuthSecret
	extends OAuthSecretDigests,
		Pick<OAuthClient, "secretHint" | "secretCreatedAtMs" | "previousSecretExpiresAtMs"> {}

/** The fields of a client without a secret. */
export const NO_OAUTH_SECRET: NewOAuthSecret = {
	secretDigest: null,
	secretHint: "",
	secretCreatedAtMs: null,
	previousSecretDigest: null,
	previousSecretExpiresAtMs: null,
};

/** A client and what the provider needs to know about its application, read in one statement. */
export interface PresentedOAuthClient extends StoredOAuthClient {
	readonly application: Pick<
		Application,
		"kind" | "name" | "status" | "redirectUris" | "homepageUrl" | "logoUrl"
	>;
}

/** An API that gets no tokens, because its resource is assigned to another tenant. */
export interface ContestedResource extends Pick<OAuthClient, "applicationId" | "tenantId" | "createdAtMs"> {
	readonly resource: string;
	readonly tenantName: string;
	readonly assignedTenantId: string;
	readonly assignedTenantName: string;
}

/**
 * Rows that refer to a client with `ON DELETE CASCADE` (codes, tokens, consents) end with its row: when the client or
 * its application is deleted, and when `replace` writes it again.
 */
export interface OAuthClientStore {
	/**
	 * Assigns the resource to the tenant unless another one has it; so do `update` and `replace`.
	 * @returns false when the application already has a client, or its resource is taken in the tenant.
	 */
	insert(client: StoredOAuthClient): Promise<boolean>;
	find(tenantId: string, applicationId: string): Promise<OAuthClient | undefined>;
	/** Inside a transaction: also locks the client until its end, which serializes concurrent changes. */
	findForUpdate(tenantId: string, applicationId: string): Promise<StoredOAuthClient | undefined>;
	/** Searches all tenants: the client determines the tenant. */
	findPresented(clientId: string): Promise<PresentedOAuthClient | undefined>;
	/** The client of the tenant that is the API behind a resource, if the resource is assigned to the tenant. */
	findByResource(tenantId: string, resource: string): Promise<PresentedOAuthClient | undefined>;
	/** Those of `resources` that belong to a client of the tenant. */
	knownResources(tenantId: string, resources: readonly string[]): Promise<string[]>;
	/** The first `PUBLISHED_RESOURCES_MAX` APIs, by resource, of the tenants that accept requests for programs. */
	listPublished(): Promise<string[]>;
	/** The names of up to five applications whose workloads name the issuer. */
	namesUsingIssuer(tenantId: string, issuerId: string): Promise<string[]>;
	/** From now on, only the API of this tenant gets tokens for the resource. */
	assignResource(tenantId: string, resource: string, nowMs: number): Promise<void>;
	/** In all tenants. Reads every client that is an API. */
	listContested(page: PageQuery): Promise<Page<ContestedResource>>;
	/** Whether any tenant has a client. */
	isAny(): Promise<boolean>;
	update(
		tenantId: string,
		applicationId: string,
		changes: Partial<OAuthClientSettings>,
		nowMs: number,
	): Promise<"updated" | "missing" | "resource_taken">;
	/** Inside a transaction. Updates the whole row like `update`, and revokes what was issued to the client. */
	replace(client: StoredOAuthClient): Promise<"updated" | "resource_taken">;
	/** Inside a transaction, after `findForUpdate`. */
	setSecret(tenantId: string, applicationId: string, secret: NewOAuthSecret, nowMs: number): Promise<boolean>;
	/** Inside a transaction. @returns the removed client; undefined if there is none. */
	remove(tenantId: string, applicationId: string): Promise<OAuthClient | undefined>;
}

export function oauthClientNotFound(): AppError {
	return new AppError("oauth_client.not_found", "this application has no OAuth client");
}

/**
 * A client may also name its own resource.
 *
 * @throws AppError `request.invalid`, naming the entries of `allowed_resources` that no application has.
 */
export async function checkAllowedResources(
	oauthClients: OAuthClientStore,
	tenantId: string,
	{ resource, allowedResources }: Pick<OAuthClientSettings, "resource" | "allowedResources">,
): Promise<void> {
	const known = new Set<string | null>([
		resource,
		...(await oauthClients.knownResources(tenantId, allowedResources)),
	]);
	const problems = allowedResources.flatMap((allowed, index) =>
		known.has(allowed) ? [] : [{ index, problem: problem("not_a_resource") }],
	);
	if (problems.length > 0) throw invalidEntries("allowed_resources", problems);
}

/** Whether a client with this method authenticates with a secret. */
export function hasSecret(method: ClientAuthMethod): boolean {
	return method === "client_secret_basic" || method === "client_secret_post";
}

/** Whether the client signs users in, and so has redirect URIs, consents, and ID tokens. */
export function signsPeopleIn(type: OAuthClientType): boolean {
	return type !== "service";
}

/** Whether a client may still use tokens for the API: it is active, allowed to, and acts for the same kind of subject. */
export function mayUseTokens(
	client: PresentedOAuthClient,
	{ aud, grant_id: grantId }: { readonly aud: string; readonly grant_id?: string | undefined },
): boolean {
	const isAllowed = client.application.status === "active" && client.allowedResources.includes(aud);
	return isAllowed && signsPeopleIn(client.type) === (grantId !== undefined);
}

/** Whether a client may act for people at the API (RFC 8693): an administrator allowed it, and the client is active. */
export function mayActForPeople(
	client: Pick<PresentedOAuthClient, "application" | "allowedResources" | "actsForPeople">,
	resource: string,
): boolean {
	const { application, allowedResources, actsForPeople } = client;
	return (
		application.status === "active" && allowedResources.includes(resource) && actsForPeople.includes(resource)
	);
}

/**
 * Whether a change revokes everything that was issued before it: a token that required a secret must not become usable
 * without one, and users consented to that type of client. The two methods with a secret are equivalent.
 */
export function revokesIssuedTokens(
	before: Pick<OAuthClientSettings, "type" | "authMethod">,
	after: Pick<OAuthClientSettings, "type" | "authMethod">,
): boolean {
	const isSameProof =
		before.authMethod === after.authMethod || (hasSecret(before.authMethod) && hasSecret(after.authMethod));
	return before.type !== after.type || !isSameProof;
}

/**
 * The digests of the secrets that authenticate the client now, current first: none for a client without a secret, two
 * during an overlap. Compare with `matchesDigest`, in constant time.
 */
export function liveSecretDigests(client: StoredOAuthClient, nowMs: number): string[] {
	const { authMethod, secretDigest, previousSecretDigest, previousSecretExpiresAtMs } = client;
	if (!hasSecret(authMethod) || secretDigest === null) return [];
	const overlaps = previousSecretExpiresAtMs !== null && nowMs < previousSecretExpiresAtMs;
	return overlaps && previousSecretDigest !== null ? [secretDigest, previousSecretDigest] : [secretDigest];
}
