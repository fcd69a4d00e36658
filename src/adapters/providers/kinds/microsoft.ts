// Microsoft Entra ID and personal Microsoft accounts.

import { ProviderFailure } from "../../../domain/provider-gateway.ts";
import { type Claims, standardProfile } from "../claims.ts";
import type { OpenIdDescription } from "../provider-client.ts";
import { issuerUrl } from "./oidc.ts";

const HOST = "https://login.microsoftonline.com";
/** The tenant of all personal accounts. */
const PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad";
const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Source: https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference,
 * https://learn.microsoft.com/en-us/entra/identity-platform/optional-claims-reference (`xms_edov`) and
 * https://learn.microsoft.com/en-us/entra/identity-platform/claims-validation.
 *
 * Differences: the discovery document of `common` and `organizations` has the issuer `…/{tenantid}/v2.0`; a token's
 * issuer is compared with that of its own `tid` (openid-client does so for this host alone). An admin
 * of any tenant can set `email` ("nOAuth"): it counts as verified only with `xms_edov`, an optional claim.
 * `sub` differs between applications and is never reused. `preferred_username` may change: it is used as the initial
 * username only.
 */
export const microsoft: OpenIdDescription = {
	issuer: ({ issuer }) => (issuer === null ? `${HOST}/common/v2.0` : microsoftIssuer(issuer)),
	scope: "openid email profile",
	hasSharedIssuer: true,
	skipsUserinfo: true,
	profile(claims, { issuer }) {
		checkTenant(claims, issuer);
		const profile = standardProfile(claims);
		return {
			...profile,
			isEmailVerified: profile.email !== null && isEdov(claims.xms_edov),
			avatarUrl: null,
		};
	},
};

function microsoftIssuer(issuer: string): string {
	const url = new URL(issuerUrl(issuer));
	if (url.origin !== HOST)
		throw new ProviderFailure(
			"misconfigured",
			`the issuer of a provider of kind microsoft must begin with ${HOST}/: use kind oidc for others`,
		);
	return issuer;
}

function checkTenant({ tid }: Claims, issuer: string | null): void {
	if (typeof tid !== "string" || !TENANT_ID.test(tid))
		throw new ProviderFailure("invalid_answer", "the ID token names no tenant (tid)");
	if (issuer?.startsWith(`${HOST}/organizations/`) === true && tid === PERSONAL)
		throw new ProviderFailure("invalid_answer", "the ID token belongs to a personal account (tid)");
}

/** "Email domain owner verified"; observed as a boolean, a number, and a string. */
function isEdov(value: unknown): boolean {
	return value === true || value === 1 || value === "1" || value === "true";
}
