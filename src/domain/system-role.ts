// The roles of users in their tenant and in the installation, and the rules between users that follow from them.

import { AppError } from "../kernel/error.ts";

/**
 * `admin` (its tenant), `reviewer`, `auditor` (reads), `supporter` (support sessions; no other role includes it),
 * `platform_admin` (tenants too).
 */
export const SYSTEM_ROLES = ["admin", "reviewer", "auditor", "supporter", "platform_admin"] as const;
export type SystemRole = (typeof SYSTEM_ROLES)[number];

interface HoldsRoles {
	readonly roles: readonly SystemRole[];
}

/** In the order of `SYSTEM_ROLES`, deduplicated: the stored form. */
export function sortRoles(roles: readonly SystemRole[]): SystemRole[] {
	return SYSTEM_ROLES.filter((role) => roles.includes(role));
}

/**
 * Whether holders of these roles may do all that `role` allows: the guards admit an admin where they admit the others.
 */
export function coversRole(held: readonly SystemRole[], role: SystemRole): boolean {
	if (held.includes(role)) return true;
	if (role === "supporter") return false;
	return held.includes("platform_admin") || (role !== "platform_admin" && held.includes("admin"));
}

/** Every tenant keeps at least one active `admin`. */
export function isActiveAdmin(user: HoldsRoles & { readonly status: string }): boolean {
	return user.status === "active" && user.roles.includes("admin");
}

/**
 * An admin who can set a user's password, address, or sign-in can act as that user, so only platform admins manage
 * platform admins.
 *
 * @throws AppError `role.required`.
 */
export function checkManages(actor: HoldsRoles, target: HoldsRoles): void {
	if (target.roles.includes("platform_admin")) checkPlatformAdmin(actor);
}

/** @throws AppError `role.required`. */
export function checkPlatformAdmin(actor: HoldsRoles): void {
	if (!actor.roles.includes("platform_admin"))
		throw new AppError("role.required", "this needs the role platform_admin");
}

/** A tenant always keeps an active admin. */
export function lastAdminError(): AppError {
	return new AppError(
		"user.last_admin",
		"this is the last active admin of the tenant: make another user admin first",
	);
}
