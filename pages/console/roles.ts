// What the user's roles allow. The console hides the rest.

import { type Role, session } from "../api/session.ts";

/** Can decide requests; auditors can only view them. */
export function mayDecide(): boolean {
	return session.value.roles.some((role) => role === "reviewer") || isAdmin();
}

/** One of the roles is enough. */
export function mayOpen(roles: readonly Role[]): boolean {
	return session.value.roles.some((role) => roles.includes(role));
}

/** Like the API's guards: a platform admin is also an admin. */
export function isAdmin(): boolean {
	return session.value.roles.some((role) => role === "admin" || role === "platform_admin");
}

/** People, applications and API clients; reviewers see requests only. */
export function isReader(): boolean {
	return isAdmin() || session.value.roles.includes("auditor");
}
