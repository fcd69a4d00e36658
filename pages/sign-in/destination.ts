// Where a sign-in leads: back to the requesting page, or to the user's start page.

import type { Role } from "../api/session.ts";

/**
 * The absolute URL of `return_to`, if it is a path that resolves to a page of this origin; undefined otherwise, and for
 * the sign-in pages. Resolving twice would leave the origin: `/.//evil.example` resolves to the path `//evil.example`.
 */
export function ownPage(requested: string | null, origin: string): string | undefined {
	if (requested?.startsWith("/") !== true || !URL.canParse(requested, origin)) return undefined;
	const url = new URL(requested, origin);
	if (url.origin !== origin || /^\/(?:\/|(?:sign-in|sign-up)\/?$)/.test(url.pathname)) return undefined;
	return url.href;
}

/** Users with a role in the tenant start in the console. */
export function firstPage(roles: readonly Role[]): string {
	return roles.length > 0 ? "/console" : "/account";
}
