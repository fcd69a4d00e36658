// A user changes their own password, with the current one.

import { normalizePassword } from "../../../crypto/password.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { changeWithPassword, wrongPassword } from "../steps/confirm-owner.ts";
import { type PasswordStore, setPassword } from "../steps/set-password.ts";

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
