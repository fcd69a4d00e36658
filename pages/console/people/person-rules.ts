// Who can change a person: the API's rules, so that the console offers nothing that the API refuses.

import { type Role, session, type User } from "../../api/session.ts";
import { isAdmin } from "../roles.ts";

/** In the URL of a person: opens the form that checks access. */
export const CHECK_HASH = "#check";
/** Opens the dialog that gives access. */
export const GIVE_HASH = "#give";

export const ROLES = [
	"admin",
	"reviewer",
	"auditor",
	"supporter",
	"platform_admin",
] as const satisfies readonly Role[];

function isPlatformAdmin(): boolean {
	return session.value.roles.includes("platform_admin");
}

/** Only platform administrators manage platform administrators. */
export function mayManage(user: User): boolean {
	return isAdmin() && (isPlatformAdmin() || !user.roles.includes("platform_admin"));
}

/** Supporters read the accounts of people without a system role. */
export function maySupport({ roles, status }: User): boolean {
	return session.value.roles.includes("supporter") && roles.length === 0 && status === "active";
}

/** The roles that the user can assign; only platform administrators can assign platform administrator. */
export function givableRoles(): readonly Role[] {
	return ROLES.filter((role) => role !== "platform_admin" || isPlatformAdmin());
}

export function nameOf({ display_name, username }: Pick<User, "display_name" | "username">): string {
	return display_name || username;
}
