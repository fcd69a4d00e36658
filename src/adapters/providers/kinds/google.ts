// Google accounts, personal and Google Workspace.

import { isTrue, standardProfile } from "../claims.ts";
import type { OpenIdDescription } from "../provider-client.ts";

/**
 * Source: https://developers.google.com/identity/openid-connect/openid-connect (ID token claims) and
 * https://developers.google.com/identity/gsi/web/guides/verify-google-id-token (when Google is authoritative).
 *
 * Differences: `email_verified` is true for any address that was once verified, even if its domain has changed owner
 * since. Google is authoritative only for `@gmail.com` and for Workspace accounts, which have `hd`. The ID token
 * contains all claims, so userinfo is not called.
 */
export const google: OpenIdDescription = {
	issuer: () => "https://accounts.google.com",
	scope: "openid email profile",
	skipsUserinfo: true,
	profile(claims) {
		const profile = standardProfile(claims);
		const isGmail = profile.email?.toLowerCase().endsWith("@gmail.com") === true;
		const isWorkspace = typeof claims.hd === "string" && claims.hd !== "";
		return {
			...profile,
			isEmailVerified: profile.email !== null && isTrue(claims.email_verified) && (isGmail || isWorkspace),
		};
	},
};
