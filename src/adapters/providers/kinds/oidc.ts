// Any provider that speaks OpenID Connect and has a discovery document.

import { ProviderFailure } from "../../../features/third-party/model.ts";
import { standardProfile } from "../claims.ts";
import type { OpenIdDescription } from "../open-id-description.ts";

/**
 * OpenID Connect Core 1.0 (https://openid.net/specs/openid-connect-core-1_0.html) and Discovery 1.0. The issuer is the
 * admin's; its word that an address is verified counts, so an admin adds only providers they trust with that.
 */
export const oidc: OpenIdDescription = {
	issuer: ({ issuer }) => issuerUrl(issuer),
	scope: "openid email profile",
	profile: standardProfile,
};

/** @throws ProviderFailure `misconfigured` when there is none, or it is no https URL. */
export function issuerUrl(issuer: string | null): string {
	if (issuer === null || URL.parse(issuer)?.protocol !== "https:")
		throw new ProviderFailure("misconfigured", "the provider has no https issuer");
	return issuer;
}
