// Which scopes a token gets that continues a sign-in: never more than the person has at the API.

import { errors } from "oidc-provider";
import { LISTED_MAX } from "../../domain/access.ts";
import { isOpenIdScope } from "../../domain/oauth-scope.ts";
import { scopesIn } from "./scopes.ts";

/**
 * Of an exchange (RFC 8693): what the client asks for and the person has.
 *
 * @returns names separated by spaces.
 * @throws InvalidScope that names what the person has, so that the client can ask for less.
 */
export function exchangedScope(held: readonly string[], asked: string | undefined): string {
	const names = scopesIn(asked);
	const granted = names.filter((name) => held.includes(name));
	if (granted.length > 0) return granted.join(" ");
	const named = held.slice(0, LISTED_MAX).join(" ") || "nothing";
	const problem = asked === undefined ? "scope is required" : "the person has none of these permissions";
	throw new errors.InvalidScope(`${problem}; the person has here: ${named}`, names.join(" "));
}

/**
 * Of an assertion: what it gives, the client asks for, and the person has.
 *
 * @returns names separated by spaces; `""` if neither the request nor the assertion names a scope of an API.
 * @throws InvalidScope if one of them does, and none is left.
 */
export function assertedScope(given: string, asked: string | undefined, held: readonly string[]): string {
	const named = scopesIn(asked ?? given).filter((name) => !isOpenIdScope(name));
	const limit = new Set(scopesIn(given));
	const granted = named.filter((name) => limit.has(name) && held.includes(name));
	if (named.length > 0 && granted.length === 0)
		throw new errors.InvalidScope(
			"the assertion gives none of these permissions that the user has",
			named.join(" "),
		);
	return [...new Set(granted)].join(" ");
}
