// GitLab.com and self-hosted GitLab.

import { standardProfile } from "../claims.ts";
import type { OpenIdDescription } from "../provider-client.ts";
import { issuerUrl } from "./oidc.ts";

/**
 * Source: https://docs.gitlab.com/integration/openid_connect_provider/.
 *
 * Name, picture, and groups are in userinfo; `sub` is the number of the user. The issuer of a self-hosted GitLab is its
 * base URL, including the path.
 */
export const gitlab: OpenIdDescription = {
	issuer: ({ issuer }) => (issuer === null ? "https://gitlab.com" : issuerUrl(issuer)),
	scope: "openid email profile",
	profile: standardProfile,
};
