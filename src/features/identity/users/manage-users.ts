// An administrator creates, unlocks, and deletes accounts.

import { checkUserFieldsOfKey } from "../../../domain/admin-key.ts";
import { userTarget } from "../../../domain/audit.ts";
import type { Administrator, Caller } from "../../../domain/caller.ts";
import { checkOfNoDirectory } from "../../../domain/directory.ts";
import { endKeysOf } from "../../../domain/end-admin-keys.ts";
import { type NewUserFields, newUser } from "../../../domain/new-user.ts";
import { forgetCodeGuesses, forgetGuesses } from "../../../domain/sign-in-attempt.ts";
import type { Stores } from "../../../domain/stores.ts";
import { checkPlatformAdmin, isActiveAdmin, lastAdminError } from "../../../domain/system-role.ts";
import { getManaged, NO_PASSWORD, type User, writeError } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import { type InvitationStore, issueInvitation } from "../invitations/invite-user.ts";

/** `email` in its canonical form. */
type UserToCreate = Omit<NewUserFields, "tenantId"> & { readonly passwordPlain: string | undefined };

/**
 * Creates the account in the caller's tenant. Without a password, the user is invited. Unique indexes decide between
 * concurrent requests for one username or email address.
 *
 * @throws AppError `password.*` (policy), `role.required` (only platform admins create one), `admin_key.not_allowed`,
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
 * Deletes a user of the caller's tenant, with their sessions, grants, third-party accounts, and admin keys.
 *
 * @throws AppError `user.not_found`, `role.required`, `user.last_admin`, `user.of_directory`.
 */
export async function deleteUser(
	{ db, clock }: Needs<"users" | "sessions" | "adminKeys" | "directoryPeople" | "audit", "clock">,
	userId: string,
	caller: Administrator,
): Promise<void> {
	await db.transaction(async (stores) => {
		const getRemovable = async (): Promise<User> => {
			const user = await getManaged(stores.users, userId, caller);
			await checkOfNoDirectory(stores, caller.tenantId, userId);
			return user;
		};
		await removeUser(stores, userId, getRemovable, caller, clock());
	});
}

/**
 * Inside a transaction, before any other row is locked.
 *
 * @param getRemovable returns the user if the caller may delete it.
 * @throws AppError `user.last_admin`; what `getRemovable` throws.
 */
export async function removeUser(
	stores: Stores<"users" | "sessions" | "adminKeys" | "audit">,
	userId: string,
	getRemovable: () => Promise<User>,
	caller: Caller,
	nowMs: number,
): Promise<void> {
	const { users, sessions, audit } = stores;
	// Count before reading the row: this takes the lock under which admins are removed.
	const otherAdmins = await users.countOtherActiveAdmins(caller.tenantId, userId);
	const user = await getRemovable();
	if (isActiveAdmin(user) && otherAdmins === 0) throw lastAdminError();
	await endKeysOf(stores, user, "creator_deleted", caller);
	// Deleting the row would end the sessions without notifying relying parties. Lock the user first: the usual lock order.
	await users.hold(caller.tenantId, userId);
	await sessions.endAll(caller.tenantId, userId, nowMs);
	await users.remove(caller.tenantId, userId);
	// The key of the user is gone: the event has the id only.
	await audit.append(caller, "user.deleted", userTarget(user));
}

/**
 * Deletes the counted wrong passwords and codes of a user of the caller's tenant, from every IP address. This ends a lock
 * and every delay of the account. Failures that count against IP addresses stay.
 *
 * @throws AppError `user.not_found`, `role.required`.
 */
export function unlockUser(
	{ db, keys }: Needs<"users" | "loginFailures" | "audit", "keys">,
	userId: string,
	caller: Administrator,
): Promise<void> {
	return db.transaction(async ({ users, loginFailures, audit }) => {
		const user = await getManaged(users, userId, caller);
		const details = {
			wrong_passwords: await forgetGuesses(loginFailures, keys, user),
			wrong_codes: await forgetCodeGuesses(loginFailures, user),
		};
		await audit.append(caller, "user.unlocked", userTarget(user), details);
	});
}
