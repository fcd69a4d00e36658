// An administrator changes an account: its fields, status, roles, or password.

import { checkUserFieldsOfKey } from "../../../domain/admin-key.ts";
import { type AuditCaller, userTarget } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { checkOfNoDirectory, DIRECTORY_FIELDS } from "../../../domain/directory.ts";
import { endUnlentKeys } from "../../../domain/end-admin-keys.ts";
import { endUnboundSessions } from "../../../domain/enforced-sign-in.ts";
import type { Stores } from "../../../domain/stores.ts";
import {
	checkManages,
	checkPlatformAdmin,
	isActiveAdmin,
	lastAdminError,
	sortRoles,
} from "../../../domain/system-role.ts";
import {
	getManaged,
	getUser,
	NO_PASSWORD,
	type User,
	type UserChanges,
	writeError,
} from "../../../domain/user.ts";
import { differences, fieldChanges, type Patch, wireNames } from "../../../kernel/changes.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import { endOldPassword, mailPasswordChanged, type PasswordStore } from "../steps/set-password.ts";
import { emailChanged } from "./change-email.ts";

/** The stores that a change of an account writes to. */
export type UpdateStore = PasswordStore | "adminKeys" | "domains" | "secondFactors" | "thirdPartyAccounts";
type Needed = Needs<UpdateStore | "directoryPeople", "passwords" | "clock" | "keys" | "wakeMail">;

type Changeable = Omit<UserChanges, "passwordHash">;

/** Absent means unchanged. A changed `email` is unverified unless `emailVerified` is given. */
type UserPatch = Patch<Changeable & { readonly passwordPlain?: string }>;

/**
 * Changes a user of the caller's tenant. Disabling the user or setting a password ends all sessions of the user; an
 * address in a domain whose sign-in is enforced, or the loss of the role that excepted them, those of another origin.
 * Disabling the user or removing a role ends the admin keys that depend on it. The owner is notified of a new password,
 * and at the old email address of a new one; both revoke mailed links. Becoming platform admin removes every way to sign
 * in that is not in the patch (`removeWaysIn`). A patch without changes writes nothing.
 *
 * @throws AppError `user.not_found`, `role.required`, `admin_key.not_allowed` (a field that only a user may set),
 * `password.*` (policy), `username.taken`, `email.taken`, `user.last_admin`, `user.of_directory`.
 */
export async function updateUser(
	needs: Needed,
	userId: string,
	patch: UserPatch,
	caller: Administrator,
): Promise<User> {
	const { passwordPlain: password, email, emailVerified: email_verified, roles } = patch;
	checkUserFieldsOfKey(caller, { password, email, email_verified, roles });
	const passwordHash = await hashPassword(needs, userId, patch, caller);
	const now = needs.clock();
	const { tenantId } = caller;
	const user = await needs.db.transaction(async (stores) => {
		const { users } = stores;
		// Count before reading the row: this takes the lock under which admins are removed.
		const touchesAdmins = patch.status !== undefined || patch.roles !== undefined;
		const otherAdmins = touchesAdmins ? await users.countOtherActiveAdmins(tenantId, userId) : 0;
		// Serializes a promotion with changes by other admins.
		await stores.secondFactors.lock(tenantId, userId);
		const before = await getUser(users, tenantId, userId);
		const changes = changesOf(before, patch, passwordHash);
		if (Object.keys(changes).length === 0) return before;
		const directed = DIRECTORY_FIELDS.find((field) => changes[field] !== undefined);
		if (directed !== undefined)
			await checkOfNoDirectory(stores, tenantId, userId, wireNames({ [directed]: 0 })[0]);
		if (changes.status === "invited") throw invalidField("status", "cannot_become_invited");
		const after = { ...before, ...changes };
		checkManages(caller, before);
		if (after.roles.includes("platform_admin")) checkPlatformAdmin(caller);
		if (isActiveAdmin(before) && !isActiveAdmin(after) && otherAdmins === 0) throw lastAdminError();
		const taken = await users.update(tenantId, userId, changes, now);
		if (taken !== undefined) throw writeError(taken);
		await writeConsequences(stores, needs.keys, { user: before, changes, nowMs: now }, caller);
		return (await users.findById(tenantId, userId)) ?? before;
	});
	if (passwordHash !== undefined || patch.email !== undefined || patch.roles !== undefined) needs.wakeMail();
	return user;
}

/** Before the transaction, because hashing is slow, and only if the caller may manage the user. */
async function hashPassword(
	{ db, passwords }: Needed,
	userId: string,
	patch: UserPatch,
	caller: Administrator,
): Promise<string | undefined> {
	if (patch.passwordPlain === undefined) return undefined;
	const user = await getManaged(db.stores.users, userId, caller);
	const passwordPlain = await passwords.check(patch.passwordPlain, {
		username: patch.username ?? user.username,
		email: patch.email ?? user.email,
	});
	return passwords.hash(passwordPlain, caller.origin.ip);
}

function changesOf(before: User, patch: UserPatch, passwordHash: string | undefined): UserChanges {
	const { passwordPlain: _, roles, emailVerified, ...fields } = patch;
	// Only a change of the status ends the reason: whom an administrator disables has no way back.
	const isConfirmed = fields.status === "disabled" && before.disabledReason !== null;
	const isMoved = fields.email !== undefined && fields.email !== before.email;
	const changes = differences<Changeable>(
		{ ...before, roles: sortRoles(before.roles) },
		{
			...fields,
			disabledReason: isConfirmed ? null : undefined,
			emailVerified: emailVerified ?? (isMoved ? false : undefined),
			roles: roles && sortRoles(roles),
		},
	);
	if (passwordHash !== undefined) return { ...changes, passwordHash };
	const isPromoted = becomesPlatformAdmin(before, { ...before, ...changes });
	return isPromoted ? { ...changes, passwordHash: NO_PASSWORD } : changes;
}

/** Inside the transaction of the change: what it ends, the audit event, and the mails. */
export async function writeConsequences(
	stores: Stores<UpdateStore>,
	keys: Needed["keys"],
	change: { readonly user: User; readonly changes: UserChanges; readonly nowMs: number },
	caller: AuditCaller,
): Promise<void> {
	const { user: before, nowMs } = change;
	const { passwordHash, ...fields } = change.changes;
	const { status, roles, email } = fields;
	const { tenantId, id } = before;
	const removed = becomesPlatformAdmin(before, { ...before, ...fields })
		? await removeWaysIn(stores, before, nowMs, caller)
		: undefined;
	if (status === "disabled") await stores.sessions.endAll(tenantId, id, nowMs);
	// The values of fields that decide what the user may do; of other fields, only the names.
	const details = {
		fields: [...wireNames(fields), ...(passwordHash === undefined ? [] : ["password"])],
		...(status && { status }),
		...(roles && { roles }),
		...removed,
	};
	const values = fieldChanges(before, fields, ["email", "avatarUrl"]);
	await stores.audit.append(caller, "user.updated", userTarget(before), details, values);
	if (status !== undefined || email !== undefined) await stores.recoveryLinks.endAll(tenantId, id, "invite");
	if (status !== undefined || roles !== undefined)
		await endUnlentKeys(stores, { ...before, ...fields }, caller);
	if (email !== undefined || roles !== undefined)
		await endUnboundSessions(stores, { ...before, ...fields }, nowMs);
	if (email !== undefined) {
		await stores.recoveryLinks.endAll(tenantId, id, "email_restore");
		await stores.recoveryLinks.endAll(tenantId, id, "password_reset");
		// The email address of an invitation may be a mistake: its owner has no account here.
		if (before.status !== "invited")
			await mailOwner(stores, before, emailChanged(before, nowMs), caller.origin);
	}
	if (passwordHash === undefined) return;
	await endOldPassword(stores, keys, change);
	if (removed === undefined) await mailPasswordChanged(stores, change, caller);
}

/** Whether the change makes the user platform admin. Before it, every admin of the tenant could manage the account. */
function becomesPlatformAdmin(before: Pick<User, "roles">, after: Pick<User, "roles">): boolean {
	return after.roles.includes("platform_admin") && !before.roles.includes("platform_admin");
}

/**
 * Inside the transaction of the promotion, with the user's row locked: removes every way to sign in that an admin of the
 * tenant could have added, which are second factors, recovery codes, third-party accounts, and mailed links that restore an
 * address, and mails the owner. The caller removes or replaces the password and ends the sessions.
 *
 * @returns what was removed, as details of the audit event.
 */
async function removeWaysIn(
	stores: Stores<"secondFactors" | "thirdPartyAccounts" | "recoveryLinks" | "mail">,
	user: User,
	nowMs: number,
	{ origin }: AuditCaller,
) {
	const { tenantId, id, username } = user;
	const { secondFactors, thirdPartyAccounts, recoveryLinks } = stores;
	const enrolled = await secondFactors.findEnrolled(tenantId, id);
	await secondFactors.removeAll(tenantId, id);
	await secondFactors.settle(tenantId, id);
	const unlinked = await thirdPartyAccounts.removeAll(tenantId, id);
	await recoveryLinks.endAll(tenantId, id, "email_restore");
	await mailOwner(stores, user, { kind: "platform_admin_made", username, at: isoTime(nowMs) }, origin);
	return {
		third_party_accounts_unlinked: unlinked,
		passkeys_removed: enrolled.passkeys,
		totp_removed: enrolled.totp,
	};
}
