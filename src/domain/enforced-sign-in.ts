// Whether users of a domain may sign in with anything but the account of their organization.

import { domainOf } from "../kernel/email-address.ts";
import type { AppError } from "../kernel/error.ts";
import { signInEnforced } from "./email-domain.ts";
import type { Stores } from "./stores.ts";
import type { User } from "./user.ts";

/** Administrators keep every way to sign in, so that they can repair what locks everyone else out. */
export function isBoundToDomain({ roles }: Pick<User, "roles">): boolean {
	return !roles.includes("admin") && !roles.includes("platform_admin");
}

/** Whether the sign-in of an address is enforced, of a known user or not. */
export async function isEnforcedFor(
	{ domains }: Stores<"domains">,
	tenantId: string,
	address: string,
): Promise<boolean> {
	return (await domains.findRoute(tenantId, domainOf(address)))?.enforce === true;
}

/** For ways that administrators do not need. @throws AppError `sign_in.enforced`, the same for every address of the domain. */
export async function checkNotEnforced(
	stores: Stores<"domains">,
	tenantId: string,
	address: string,
): Promise<void> {
	if (await isEnforcedFor(stores, tenantId, address)) throw signInEnforced();
}

/**
 * Decides by the stored address, verified or not.
 *
 * @param provider at which the user signed in; null for every other way.
 * @returns undefined or `sign_in.enforced`.
 */
export async function findEnforcedRefusal(
	{ domains }: Stores<"domains">,
	user: Pick<User, "tenantId" | "email" | "roles">,
	provider: string | null,
): Promise<AppError | undefined> {
	const route = await domains.findRoute(user.tenantId, domainOf(user.email));
	if (route?.enforce !== true || route.provider === provider || !isBoundToDomain(user)) return undefined;
	return signInEnforced();
}

/**
 * After a change of the address, the roles, or the domain: ends the sessions, with their OAuth grants, that did not begin at
 * the issuer to which the user is bound now.
 */
export async function endUnboundSessions(
	{ domains, sessions }: Stores<"domains" | "sessions">,
	user: Pick<User, "id" | "tenantId" | "email" | "roles">,
	nowMs: number,
): Promise<void> {
	const { id, tenantId, email } = user;
	const route = await domains.findRoute(tenantId, domainOf(email));
	if (route?.enforce === true && isBoundToDomain(user))
		await sessions.endOfOtherOrigin(tenantId, id, route.provider, nowMs);
}
