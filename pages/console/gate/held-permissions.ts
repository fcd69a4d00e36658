// What the roles of an application hold, for the rules of its gate.

import type { Schemas } from "../../api/routes.ts";

type Role = Pick<Schemas["ApplicationRole"], "name" | "permissions">;

/** One permission, no pattern, as the API accepts it. */
const PERMISSION = /^[A-Za-z0-9._-]+(?::[A-Za-z0-9._-]+)*$/;

export function isPermission(text: string): boolean {
	return PERMISSION.test(text);
}

/** Each permission that a role lists, sorted; patterns such as `orders:*` are none. */
export function listedPermissions(roles: readonly Role[]): readonly string[] {
	return [...new Set(roles.flatMap(({ permissions }) => permissions).filter(isPermission))].sort();
}

/** The names of the roles that hold a permission, by a pattern too. */
export function holdersOf(permission: string, roles: readonly Role[]): readonly string[] {
	const holds = (pattern: string) =>
		pattern === "*" ||
		pattern === permission ||
		(pattern.endsWith(":*") && permission.startsWith(pattern.slice(0, -1)));
	return roles.filter(({ permissions }) => permissions.some(holds)).map(({ name }) => name);
}
