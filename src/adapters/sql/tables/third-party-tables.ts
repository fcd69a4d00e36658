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
	key,
	nullable,
	ofTenant,
	sealed,
	text,
	timestamps,
} from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, emptied, KEPT } from "../table-policy.ts";

export const sealedIdentityProviders = table("identity_providers", KEPT, {
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
});
export const identityProviders = sealedIdentityProviders.without("clientSecretSealed");

export const domains = table("domains", KEPT, {
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
});

/** A finished link stays, and says who tried the issuer. */
export const setUpLinksWithDigest = table("set_up_links", EMPTIED, {
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
});
export const setUpLinks = setUpLinksWithDigest.without("tokenDigest");

export const thirdPartyAccounts = table("third_party_accounts", KEPT, {
	...ofTenant,
	userId: text(),
	provider: text(),
	providerUserId: text(),
	linkedAtMs: integer(),
});

export const thirdPartyAliases = table("third_party_aliases", KEPT, {
	tenantId: key(text()),
	provider: key(text()),
	providerUserId: key(text()),
	accountId: text(),
});

/** With `userId` and `sessionId`, the attempt links an account to this user instead of signing in. */
export const thirdPartyAttempts = table(
	"third_party_attempts",
	emptied("sign-ins with identity providers abandoned"),
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
);

export const thirdPartySignIns = table("third_party_sign_ins", EMPTIED, {
	browserDigest: key(text()),
	tenantId: text(),
	accountId: text(),
	expiresAtMs: integer(),
});
