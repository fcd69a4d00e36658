// What the roles of the user admit. What they do not admit is absent.

import { session } from "../api/session.ts";

/** Requests; auditors only read. */
export function mayDecide(): boolean {
	return session.value.roles.some((role) => role === "reviewer") || isAdmin();
}

/** As the guards of the API: a platform admin is an admin too. */
export function isAdmin(): boolean {
	return session.value.roles.some((role) => role === "admin" || role === "platform_admin");
}

/** People, applications and API clients; reviewers see requests only. */
export function isReader(): boolean {
	return isAdmin() || session.value.roles.includes("auditor");
}
