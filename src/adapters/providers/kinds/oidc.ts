// Any OpenID Connect provider with a discovery document.

import { ProviderFailure } from "../../../domain/provider-gateway.ts";
import { standardProfile } from "../claims.ts";
import type { OpenIdDescription } from "../provider-client.ts";

/**
 * OpenID Connect Core 1.0 (https://openid.net/specs/openid-connect-core-1_0.html) and Discovery 1.0. An admin
 * sets the issuer. Its `email_verified` is trusted, so an admin adds only providers that verify addresses.
 */
export const oidc: OpenIdDescription = {
	issuer: ({ issuer }) => issuerUrl(issuer),
	scope: "openid email profile",
	profile: standardProfile,
};

/** @throws ProviderFailure `misconfigured` when it is null or not an https URL. */
export function issuerUrl(issuer: string | null): string {
	if (issuer === null || URL.parse(issuer)?.protocol !== "https:")
		throw new ProviderFailure("misconfigured", "the provider has no https issuer");
	return issuer;
}
