// Tables of sign-in with identity providers.

import {
	type EmailDomains,
	type IssuerUse,
	identityProviderContext,
	type ProviderKind,
	type SubjectClaim,
} from "../../../domain/identity-provider.ts";
import type { ClientJwks } from "../../../domain/oauth-client.ts";
import { isProviderTest, type ProviderTest } from "../../../domain/provider-test.ts";
import type { ManagedBy } from "../../../domain/tenant.ts";
import { attemptContext } from "../../../domain/third-party-attempt.ts";
import { isMembers, isText, listOf, objectOf } from "../../../kernel/shape.ts";
import {
	emptyAsNull,
	enclosedList,
	flag,
	integer,
	json,
	nullable,
	ofTenant,
	sealed,
	text,
	timestamps,
} from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, KEPT } from "../table-policy.ts";

export const sealedIdentityProviders = table(
	"identity_providers",
	{
		...ofTenant,
		provider: text(),
		kind: text<ProviderKind>(),
		displayName: text(),
		uses: enclosedList<IssuerUse>(),
		clientId: emptyAsNull(),
		clientSecretSealed: sealed(identityProviderContext),
		clientSecretSetAtMs: nullable(integer()),
		issuer: emptyAsNull(),
		jwksUri: nullable(text()),
		jwks: nullable(json<ClientJwks>(objectOf({ keys: listOf(isMembers) }))),
		jwksSetAtMs: nullable(integer()),
		audience: nullable(text()),
		subjectClaim: text<SubjectClaim>(),
		mfaAcr: json(listOf(isText)),
		emailDomains: text<EmailDomains>(),
		enabled: flag(),
		signUp: flag(),
		lastTest: nullable(json<ProviderTest>(isProviderTest)),
		createdBy: nullable(text()),
		managedBy: nullable(text<ManagedBy>()),
		...timestamps,
	},
	{ restore: KEPT },
);
export const identityProviders = sealedIdentityProviders.without("clientSecretSealed");

export const domains = table(
	"domains",
	{
		...ofTenant,
		domain: text(),
		issuerId: nullable(text()),
		recordValue: text(),
		enforce: flag(),
		verifiedAtMs: nullable(integer()),
		recordSeenAtMs: nullable(integer()),
		nextCheckAtMs: nullable(integer()),
		noticedAtMs: nullable(integer()),
		...timestamps,
	},
	{ restore: KEPT },
);

/** A finished link stays, and says who tried the issuer. */
export const setUpLinksWithDigest = table(
	"set_up_links",
	{
		...ofTenant,
		domainId: text(),
		issuerId: nullable(text()),
		applicationId: nullable(text()),
		tokenDigest: text(),
		testedBy: text(),
		testedAtMs: nullable(integer()),
		finishedAtMs: nullable(integer()),
		expiresAtMs: integer(),
		createdBy: nullable(text()),
		createdAtMs: integer(),
	},
	{ restore: EMPTIED },
);
export const setUpLinks = setUpLinksWithDigest.without("tokenDigest");

export const thirdPartyAccounts = table(
	"third_party_accounts",
	{
		...ofTenant,
		userId: text(),
		provider: text(),
		providerUserId: text(),
		linkedAtMs: integer(),
	},
	{ restore: KEPT },
);

export const thirdPartyAliases = table(
	"third_party_aliases",
	{ tenantId: text(), provider: text(), providerUserId: text(), accountId: text() },
	{ key: ["tenant_id", "provider", "provider_user_id"], restore: KEPT },
);

/** With `userId` and `sessionId`, the attempt links an account to this user instead of signing in. */
export const thirdPartyAttempts = table(
	"third_party_attempts",
	{
		...ofTenant,
		providerId: text(),
		returnTo: text(),
		userId: nullable(text()),
		sessionId: nullable(text()),
		isTest: flag(),
		browserDigest: text(),
		stateDigest: text(),
		protocolSealed: sealed(attemptContext),
		expiresAtMs: integer(),
	},
	{ restore: { rows: "emptied", description: "sign-ins with identity providers abandoned" } },
);

export const thirdPartySignIns = table(
	"third_party_sign_ins",
	{ browserDigest: text(), tenantId: text(), accountId: text(), expiresAtMs: integer() },
	{ key: ["browser_digest"], restore: EMPTIED },
);
