// What the user's roles allow. The console hides the rest.

import { signal } from "@preact/signals";
import { type Role, session } from "../api/session.ts";

export const PLATFORM_ADMIN = ["platform_admin"] as const satisfies readonly Role[];

/** Whether the user has no role but decides requests of people, as a member of the reviewers of an application. */
export const isMember = signal(false);

/** Can decide requests; auditors can only view them. */
export function mayDecide(): boolean {
	return session.value.roles.includes("reviewer") || isAdmin() || isMember.value;
}

/** One of the roles is enough. */
export function mayOpen(roles: readonly Role[]): boolean {
	return (
		session.value.roles.some((role) => roles.includes(role)) || (isMember.value && roles.includes("reviewer"))
	);
}

/** Like the API's guards: a platform admin is also an admin. */
export function isAdmin(): boolean {
	return session.value.roles.some((role) => role === "admin" || role === "platform_admin");
}

/** People, applications and API clients; reviewers see requests only. */
export function isReader(): boolean {
	return isAdmin() || session.value.roles.includes("auditor");
}
