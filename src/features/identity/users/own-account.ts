// A user changes their profile or password, or deletes their account.

import { normalizePassword } from "../../../crypto/password.ts";
import { userTarget } from "../../../domain/audit.ts";
import { checkOfNoDirectory, DIRECTORY_FIELDS } from "../../../domain/directory.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import type { User, UserChanges } from "../../../domain/user.ts";
import { differences, fieldChanges, type Patch, wireNames } from "../../../kernel/changes.ts";
import { found, invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import {
	changeWithPassword,
	checkOwner,
	checkStillSignedIn,
	type OwnerStore,
	sessionEnded,
	wrongPassword,
} from "../steps/confirm-owner.ts";
import { type PasswordStore, setPassword } from "../steps/set-password.ts";
import { removeUser } from "./manage-users.ts";

type Profile = Pick<UserChanges, "displayName" | "avatarUrl" | "locale">;

/**
 * A patch without changes writes nothing.
 *
 * @throws AppError `application.token`; `user.of_directory`; `token.invalid` if the user was deleted in the meantime.
 */
export async function changeProfile(
	{ db, clock }: Needs<"users" | "directoryPeople" | "audit", "clock">,
	patch: Patch<Profile>,
	caller: SignedIn,
): Promise<User> {
	checkInPerson(caller, "change the profile of its user");
	const { tenantId, userId } = caller;
	return await db.transaction(async (stores) => {
		const { users, audit } = stores;
		const before = found(await users.findById(tenantId, userId), sessionEnded);
		const changes = differences<Profile>(before, patch);
		if (Object.keys(changes).length === 0) return before;
		const directed = DIRECTORY_FIELDS.find((field) => field in changes);
		if (directed !== undefined)
			await checkOfNoDirectory(stores, tenantId, userId, wireNames({ [directed]: 0 })[0]);
		await users.update(tenantId, userId, changes, clock());
		const values = fieldChanges(before, changes, ["avatarUrl"]);
		await audit.append(caller, "user.updated", userTarget(before), { fields: wireNames(changes) }, values);
		return found(await users.findById(tenantId, userId), sessionEnded);
	});
}

/**
 * Deletes the caller's account, with its sessions, grants, and third-party accounts. Requires the password, or a sign-in
 * within `FRESH_SIGN_IN_SECONDS`.
 *
 * @throws AppError what `checkOwner` throws; `application.token`, even with the password: an application must not delete
 * its user; `user.last_admin`; `user.of_directory`; `token.invalid` if the session ended in the meantime.
 */
export async function deleteOwnAccount(
	needs: Needs<
		OwnerStore | "secondFactors" | "adminKeys" | "directoryPeople",
		"passwords" | "attempts" | "clock"
	>,
	passwordPlain: string | undefined,
	caller: SignedIn,
): Promise<void> {
	checkInPerson(caller, "delete its user");
	const proof = { field: "password", refusedAs: "user.deletion_refused", freshSignInSuffices: true } as const;
	await checkOwner(needs, passwordPlain, proof, caller);
	const { tenantId, userId } = caller;
	await needs.db.transaction(async (stores) => {
		const getOwn = async (): Promise<User> => {
			await checkStillSignedIn(stores, caller);
			await checkOfNoDirectory(stores, tenantId, userId);
			return found(await stores.users.findById(tenantId, userId), sessionEnded);
		};
		await removeUser(stores, userId, getOwn, caller, needs.clock());
	});
}

const FIELD = "current_password";

/**
 * The current session continues, all others end, and the owner is notified by mail. A wrong current password counts like
 * one at sign-in. Of two concurrent changes the second fails, because its current password is no longer correct.
 *
 * @returns the number of other live sessions ended.
 * @throws AppError `password.*` (policy, field `new_password`), `password.wrong`, `login.too_many`,
 * `service.overloaded`; `request.invalid` if the new password is the current one.
 */
export async function changePassword(
	needs: Needs<PasswordStore, "passwords" | "attempts" | "keys" | "clock" | "wakeMail">,
	change: { readonly currentPasswordPlain: string; readonly newPasswordPlain: string },
	caller: SignedIn,
): Promise<number> {
	const { db, passwords, keys, clock, wakeMail } = needs;
	const { user, sessionId: keepSessionId } = caller;
	const { username, email } = user;
	const newPlain = await passwords.check(change.newPasswordPlain, { username, email, field: "new_password" });
	if (newPlain === normalizePassword(change.currentPasswordPlain))
		throw invalidField("new_password", "password_unchanged");
	const proof = { field: FIELD, refusedAs: "user.password_change_refused" } as const;
	return await changeWithPassword(needs, change.currentPasswordPlain, proof, caller, async (fromHash) => {
		const passwordHash = await passwords.hash(newPlain, caller.origin.ip);
		const nowMs = clock();
		const ended = await db.transaction((stores) => {
			const newPassword = { user, nowMs, keepSessionId, passwordHash, fromHash };
			return setPassword(stores, keys, { ...newPassword, action: "user.password_changed" }, caller);
		});
		if (ended === undefined) throw wrongPassword(FIELD);
		wakeMail();
		return ended;
	});
}
