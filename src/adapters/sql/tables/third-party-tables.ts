// Tables of sign-in with identity providers.

import { identityProviderContext, type ProviderKind } from "../../../domain/identity-provider.ts";
import { attemptContext } from "../../../domain/third-party-attempt.ts";
import { emptyAsNull, flag, integer, nullable, sealed, text } from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, KEPT } from "../table-policy.ts";

export const sealedIdentityProviders = table(
	"identity_providers",
	{
		id: text(),
		tenantId: text(),
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
		createdAtMs: integer(),
		updatedAtMs: integer(),
	},
	{ restore: KEPT },
);
export const identityProviders = sealedIdentityProviders.without("clientSecretSealed");

export const thirdPartyAccounts = table(
	"third_party_accounts",
	{
		id: text(),
		tenantId: text(),
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

/** `userId` and `sessionId`: link to this user instead of signing in. */
export const thirdPartyAttempts = table(
	"third_party_attempts",
	{
		id: text(),
		tenantId: text(),
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
	{ restore: { rows: "emptied", description: "sign-ins at an outside provider given up" } },
);

/**
 * `ip`, `userAgent`, `acceptLanguage`: of the browser that came back from the provider. `browserDigest`: only this browser may
 * exchange it.
 */
export const thirdPartyTickets = table(
	"third_party_tickets",
	{
		digest: text(),
		tenantId: text(),
		accountId: text(),
		appId: nullable(text()),
		codeChallenge: text(),
		ip: text(),
		userAgent: text(),
		acceptLanguage: text(),
		browserDigest: nullable(text()),
		expiresAtMs: integer(),
	},
	{ key: ["digest"], restore: EMPTIED },
);

/** `ip`, `userAgent`, `acceptLanguage`: of the browser that asked for it. */
export const sessionTickets = table(
	"session_tickets",
	{
		digest: text(),
		tenantId: text(),
		sessionId: text(),
		appId: text(),
		codeChallenge: text(),
		ip: text(),
		userAgent: text(),
		acceptLanguage: text(),
		expiresAtMs: integer(),
	},
	{ key: ["digest"], restore: EMPTIED },
);
