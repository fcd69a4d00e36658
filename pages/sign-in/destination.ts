// Where a sign-in leads: back to the requesting page, or to the user's start page.

import type { Role } from "../api/session.ts";

/**
 * The path, query and fragment in `return_to`, if on this origin; undefined otherwise, for example for another
 * origin, and for the sign-in pages.
 */
export function ownPath(requested: string | null, origin: string): string | undefined {
	if (requested === null || !/^\/(?![/\\])/.test(requested)) return undefined;
	if (!URL.canParse(requested, origin)) return undefined;
	const url = new URL(requested, origin);
	if (url.origin !== origin || /^\/(?:sign-in|sign-up)\/?$/.test(url.pathname)) return undefined;
	return `${url.pathname}${url.search}${url.hash}`;
}

/** Users with a role in the tenant start in the console. */
export function firstPage(roles: readonly Role[]): string {
	return roles.length > 0 ? "/console" : "/account";
}
