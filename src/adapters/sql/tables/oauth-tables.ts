// Tables of OAuth and OpenID Connect.

import { areAssertionAudiences } from "../../../domain/assertion.ts";
import type {
	ClientAuthMethod,
	ClientClaim,
	ClientJwks,
	ClientProfile,
	IdTokenAlg,
	OAuthClientType,
	PkcePolicy,
	ResponseMode,
} from "../../../domain/oauth-client.ts";
import { type OAuthRecordKind, oauthRecordContext } from "../../../domain/oauth-record.ts";
import type { ApiScopes } from "../../../domain/oauth-scope.ts";
import { areWorkloads } from "../../../domain/workload.ts";
import { isMembers, isText, listOf, objectOf } from "../../../kernel/shape.ts";
import {
	commaList,
	flag,
	integer,
	json,
	key,
	nullable,
	ofTenant,
	sealed,
	text,
	timestamps,
} from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, emptied, KEPT, keptWith } from "../table-policy.ts";

const isTexts = listOf(isText);
const isApiScopes = (value: unknown): value is ApiScopes =>
	isMembers(value) && Object.values(value).every(isTexts);
const areClaims = listOf((value: unknown): value is ClientClaim =>
	objectOf({ name: isText, from: isText, value: isText })(value),
);
const SECRET_KEPT =
	"authenticates an application, like the Secrets of API clients, which a restore keeps too";

export const oauthClientsWithDigests = table(
	"oauth_clients",
	keptWith({ secret_digest: SECRET_KEPT, previous_secret_digest: SECRET_KEPT }),
	{
		applicationId: key(text()),
		tenantId: text(),
		type: text<OAuthClientType>(),
		authMethod: text<ClientAuthMethod>(),
		postLogoutRedirectUris: json(listOf(isText)),
		backchannelLogoutUri: nullable(text()),
		firstParty: flag(),
		idTokenAlg: text<IdTokenAlg>(),
		pkce: text<PkcePolicy>(),
		deviceFlow: flag(),
		responseModes: commaList<ResponseMode>(),
		jwks: nullable(json<ClientJwks>(objectOf({ keys: listOf(isMembers) }))),
		jwksUri: nullable(text()),
		resource: nullable(text()),
		allowedResources: json(listOf(isText)),
		actsForPeople: json(listOf(isText)),
		workloads: json(areWorkloads),
		assertionAudiences: json(areAssertionAudiences),
		profile: text<ClientProfile>(),
		claims: json<readonly ClientClaim[]>(areClaims),
		secretDigest: nullable(text()),
		secretHint: text(),
		secretCreatedAtMs: nullable(integer()),
		previousSecretDigest: nullable(text()),
		previousSecretExpiresAtMs: nullable(integer()),
		...timestamps,
	},
);
export const oauthClients = oauthClientsWithDigests.without("secretDigest", "previousSecretDigest");

export const resourceNames = table("resource_names", KEPT, {
	resource: key(text()),
	tenantId: text(),
	assignedAtMs: integer(),
});

export const assertedGrants = table("oauth_grants", EMPTIED, {
	...ofTenant,
	clientId: text(),
	userId: text(),
	sessionId: text(),
	issuerId: nullable(text()),
	payload: json(isMembers),
	createdAtMs: integer(),
	expiresAtMs: integer(),
});
export const oauthGrants = assertedGrants.without("issuerId");

export const oauthActors = table("oauth_actors", EMPTIED, {
	...ofTenant,
	userId: text(),
	grantId: text(),
	actorId: text(),
	apiId: text(),
	createdAtMs: integer(),
	lastUsedAtMs: integer(),
});

export const oauthRecords = table(
	"oauth_records",
	{
		rows: "emptied",
		afterFailover: [
			{
				description: "authorization codes and device codes invalidated",
				sql: (nowMs) =>
					`DELETE FROM oauth_records WHERE kind IN ('AuthorizationCode', 'DeviceCode') AND expires_at > ${nowMs}`,
			},
		],
	},
	{
		digest: key(text()),
		kind: text<OAuthRecordKind>(),
		clientId: nullable(text()),
		grantId: nullable(text()),
		userCodeDigest: nullable(text()),
		payloadSealed: sealed(oauthRecordContext),
		consumedAtMs: nullable(integer()),
		createdAtMs: integer(),
		expiresAtMs: integer(),
		polledAtMs: nullable(integer()),
	},
);

// They may have been sent since the backup.
export const logoutNotices = table("logout_notices", EMPTIED, {
	sessionId: key(text()),
	clientId: key(text()),
	tenantId: text(),
	userId: text(),
	attempts: integer(),
	nextAttemptAtMs: integer(),
	giveUpAtMs: integer(),
	lastError: text(),
	createdAtMs: integer(),
});

// Users may have withdrawn some since the backup.
export const oauthConsents = table("oauth_consents", emptied("consents to applications revoked"), {
	...ofTenant,
	userId: text(),
	clientId: text(),
	scopes: commaList(),
	resources: json(listOf(isText)),
	apiScopes: json<ApiScopes>(isApiScopes),
	...timestamps,
});
