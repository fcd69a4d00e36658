// GitLab.com, and any GitLab of one's own.

import { standardProfile } from "../claims.ts";
import type { OpenIdDescription } from "../open-id-description.ts";
import { issuerUrl } from "./oidc.ts";

/**
 * Source: https://docs.gitlab.com/integration/openid_connect_provider/.
 *
 * Odd: nothing of weight. Name, picture and groups are in userinfo; `sub` is the number of the user. A GitLab of one's
 * own is the issuer, with its path if it has one.
 */
export const gitlab: OpenIdDescription = {
	issuer: ({ issuer }) => (issuer === null ? "https://gitlab.com" : issuerUrl(issuer)),
	scope: "openid email profile",
	profile: standardProfile,
};
