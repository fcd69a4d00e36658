// An admin lets a person try again who was locked out by wrong passwords or codes.

import { userTarget } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { forgetCodeGuesses, forgetGuesses } from "../../../domain/sign-in-attempt.ts";
import type { Needs } from "../../platform.ts";
import { getManaged } from "./manage-users.ts";

/**
 * Deletes the counted wrong passwords and codes of a user of the caller's tenant, from every address: ends a lock and
 * every wait of the account. What client addresses failed over all names stays counted.
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
