// Tables of sign-in with identity providers.

import { identityProviderContext, type ProviderKind } from "../../../domain/identity-provider.ts";
import { attemptContext } from "../../../domain/third-party-attempt.ts";
import { emptyAsNull, flag, integer, nullable, ofTenant, sealed, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, KEPT } from "../table-policy.ts";

export const sealedIdentityProviders = table(
	"identity_providers",
	{
		...ofTenant,
		provider: text(),
		kind: text<ProviderKind>(),
		displayName: text(),
		clientId: text(),
		clientSecretSealed: sealed(identityProviderContext),
		clientSecretSetAtMs: integer(),
		issuer: emptyAsNull(),
		enabled: flag(),
		signUp: flag(),
		createdBy: nullable(text()),
		...timestamps,
	},
	{ restore: KEPT },
);
export const identityProviders = sealedIdentityProviders.without("clientSecretSealed");

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
		appId: nullable(text()),
		redirectUri: text(),
		codeChallenge: text(),
		userId: nullable(text()),
		sessionId: nullable(text()),
		beginDigest: text(),
		browserDigest: nullable(text()),
		stateDigest: nullable(text()),
		protocolSealed: nullable(sealed(attemptContext)),
		expiresAtMs: integer(),
	},
	{ restore: { rows: "emptied", description: "sign-ins with identity providers abandoned" } },
);

/** The browser that returned from the provider, or that requested the ticket. */
const browser = { ip: text(), userAgent: text(), acceptLanguage: text() };

/** With `browserDigest`, only this browser may exchange the ticket. */
export const thirdPartyTickets = table(
	"third_party_tickets",
	{
		digest: text(),
		tenantId: text(),
		accountId: text(),
		appId: nullable(text()),
		codeChallenge: text(),
		...browser,
		browserDigest: nullable(text()),
		expiresAtMs: integer(),
	},
	{ key: ["digest"], restore: EMPTIED },
);

export const sessionTickets = table(
	"session_tickets",
	{
		digest: text(),
		tenantId: text(),
		sessionId: text(),
		appId: text(),
		codeChallenge: text(),
		...browser,
		expiresAtMs: integer(),
	},
	{ key: ["digest"], restore: EMPTIED },
);
