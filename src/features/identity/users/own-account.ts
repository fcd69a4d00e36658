// A user changes their profile or deletes their account.

import { userTarget } from "../../../domain/audit.ts";
import { checkOfNoDirectory, DIRECTORY_FIELDS } from "../../../domain/directory.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import type { User, UserChanges } from "../../../domain/user.ts";
import { differences, fieldChanges, type Patch, wireNames } from "../../../kernel/changes.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { checkOwner, checkStillSignedIn, type OwnerStore, sessionEnded } from "../steps/confirm-owner.ts";
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
