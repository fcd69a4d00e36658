// An admin creates and deletes accounts, and ends their sessions.

import { checkUserFieldsOfKey } from "../../../domain/admin-key.ts";
import { userTarget } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { type NewUserFields, newUser } from "../../../domain/new-user.ts";
import type { Stores } from "../../../domain/stores.ts";
import {
	checkManages,
	checkPlatformAdmin,
	isActiveAdmin,
	lastAdminError,
} from "../../../domain/system-role.ts";
import { getUser, NO_PASSWORD, type User, writeError } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import { endKeysOf } from "../steps/end-admin-keys.ts";
import { type InvitationStore, issueInvitation } from "../steps/issue-invitation.ts";

/** `email` in its canonical form. */
export type UserToCreate = Omit<NewUserFields, "tenantId"> & { readonly passwordPlain: string | undefined };

/**
 * Creates the account in the caller's tenant; without a password the person is invited. Unique indexes decide between
 * parallel requests for one name or address.
 *
 * @throws AppError `password.*` (policy), `role.required` (only a platform admin creates one), `admin_key.not_allowed`,
 * `username.taken`, `email.taken`, `user.invite_unusable`.
 */
export async function createUser(
	needs: Needs<"users" | InvitationStore, "passwords" | "clock" | "publicUrl" | "wakeMail">,
	{ passwordPlain, ...fields }: UserToCreate,
	caller: Administrator,
): Promise<User> {
	const { roles, emailVerified: email_verified } = fields;
	checkUserFieldsOfKey(caller, { password: passwordPlain, email_verified, roles });
	if (roles?.includes("platform_admin")) checkPlatformAdmin(caller);
	const { db, passwords, clock, publicUrl, wakeMail } = needs;
	const isInvited = passwordPlain === undefined;
	const checkedPlain = isInvited ? undefined : await passwords.check(passwordPlain, fields);
	const passwordHash =
		checkedPlain === undefined ? NO_PASSWORD : await passwords.hash(checkedPlain, caller.origin.ip);
	const now = clock();
	const start = { tenantId: caller.tenantId, ...(isInvited && { status: "invited" as const }) };
	const user = newUser({ ...fields, ...start }, now);
	await db.transaction(async (stores) => {
		const { users, audit } = stores;
		const taken = await users.insert({ ...user, passwordHash });
		if (taken !== undefined) throw writeError(taken);
		const { username, roles, status } = user;
		await audit.append(caller, "user.created", userTarget(user), { username, roles, status });
		if (isInvited) await issueInvitation(stores, publicUrl, user, now, caller);
	});
	if (isInvited) wakeMail();
	return user;
}

/**
 * Deletes a user of the caller's tenant; sessions, grants and third-party accounts go with the row, and the user's
 * admin keys end.
 *
 * @throws AppError `user.not_found`, `role.required`, `user.last_admin`.
 */
export async function deleteUser(
	{ db, clock }: Needs<"users" | "sessions" | "adminKeys" | "audit", "clock">,
	userId: string,
	caller: Administrator,
): Promise<void> {
	await db.transaction(async (stores) => {
		const { users } = stores;
		await removeUser(stores, userId, () => getManaged(users, userId, caller), caller, clock());
	});
}

/**
 * Inside a transaction, before any other row is locked.
 *
 * @param getRemovable the user, if the caller may delete it.
 * @throws AppError `user.last_admin`; what `getRemovable` throws.
 */
export async function removeUser(
	stores: Stores<"users" | "sessions" | "adminKeys" | "audit">,
	userId: string,
	getRemovable: () => Promise<User>,
	caller: Administrator,
	nowMs: number,
): Promise<void> {
	const { users, sessions, audit } = stores;
	// Count before the row is read: this takes the lock under which admins are removed.
	const otherAdmins = await users.countOtherActiveAdmins(caller.tenantId, userId);
	const user = await getRemovable();
	if (isActiveAdmin(user) && otherAdmins === 0) throw lastAdminError();
	await endKeysOf(stores, user, "creator_deleted", caller);
	// Sessions would go with the row, without a notice to relying parties. The user is locked before them, as everywhere.
	await users.hold(caller.tenantId, userId);
	await sessions.endAll(caller.tenantId, userId, nowMs);
	await users.remove(caller.tenantId, userId);
	await audit.append(caller, "user.deleted", userTarget(user), { username: user.username });
}

/**
 * Ends every session of a user of the caller's tenant.
 *
 * @returns how many live sessions ended.
 * @throws AppError `user.not_found`, `role.required`.
 */
export function revokeSessions(
	{ db, clock }: Needs<"users" | "sessions" | "audit", "clock">,
	userId: string,
	caller: Administrator,
): Promise<number> {
	return db.transaction(async ({ users, sessions, audit }) => {
		const user = await getManaged(users, userId, caller);
		const ended = await sessions.endAll(caller.tenantId, userId, clock());
		await audit.append(caller, "user.sessions_revoked", userTarget(user), { sessions: ended });
		return ended;
	});
}

/** @throws AppError `user.not_found`, `role.required`. */
export async function getManaged(
	users: Stores["users"],
	userId: string,
	caller: Administrator,
): Promise<User> {
	const user = await getUser(users, caller.tenantId, userId);
	checkManages(caller, user);
	return user;
}
