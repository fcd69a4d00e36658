// Where a sign-in leads: back to the page that asked for it, or to the first page of the person.

import type { Role } from "../api/session.ts";

/**
 * A path of this origin with its query and anchor, from the parameter `return_to`; undefined for everything else, such as another
 * origin, and for the pages of the sign-in itself.
 */
export function ownPath(requested: string | null, origin: string): string | undefined {
	if (requested === null || !/^\/(?![/\\])/.test(requested)) return undefined;
	if (!URL.canParse(requested, origin)) return undefined;
	const url = new URL(requested, origin);
	if (url.origin !== origin || /^\/(?:sign-in|sign-up)\/?$/.test(url.pathname)) return undefined;
	return `${url.pathname}${url.search}${url.hash}`;
}

/** People with a role in the tenant work in the console. */
export function firstPage(roles: readonly Role[]): string {
	return roles.length > 0 ? "/console" : "/account";
}
