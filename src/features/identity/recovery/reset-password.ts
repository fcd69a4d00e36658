// Sets a new password with a mailed link.

import { tokenDigest } from "../../../crypto/digest.ts";
import { userCaller } from "../../../domain/caller.ts";
import { NO_PASSWORD, type User } from "../../../domain/user.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { findLinkOwner } from "../steps/issue-recovery-link.ts";
import { type PasswordStore, setPassword } from "../steps/set-password.ts";

type Needed = Needs<
	PasswordStore | "thirdPartyAccounts" | "secondFactors" | "passkeys",
	"passwords" | "keys" | "clock" | "wakeMail"
>;

/**
 * Ends every session and a lock, clears counted failures, and notifies the owner by mail. Does not sign in, and does not
 * change second factors. The link stays valid if the password is refused. Of concurrent uses, one succeeds. The link
 * verifies the email address.
 *
 * @throws AppError `reset.not_found` (link unknown, used, replaced, or expired; account disabled or with a new address),
 * `password.*` (policy, field `new_password`), `service.overloaded`, `service.unavailable`.
 */
export async function resetPassword(
	{ db, passwords, keys, clock, wakeMail }: Needed,
	token: string,
	newPasswordPlain: string,
	origin: Origin,
): Promise<void> {
	const digest = tokenDigest(token);
	// Check the link first, so that no password is hashed without a valid one.
	const link = await db.stores.recoveryLinks.find(digest, "password_reset", clock());
	const { username, email } = found(await findLinkOwner(db.stores, link, "active"), notFound);
	const newPlain = await passwords.check(newPasswordPlain, { username, email, field: "new_password" });
	const passwordHash = await passwords.hash(newPlain, origin.ip);
	const nowMs = clock();
	await db.transaction(async (stores) => {
		const consumed = await stores.recoveryLinks.consume(digest, "password_reset", nowMs);
		const user = found(await findLinkOwner(stores, consumed, "active"), notFound);
		const details = await removeForeignFactors(stores, user);
		const change = { user, nowMs, passwordHash, changes: { emailVerified: true }, details };
		const newPassword = { ...change, action: "user.password_reset" } as const;
		const ended = await setPassword(stores, keys, newPassword, userCaller(user, origin));
		if (ended === undefined) throw notFound();
	});
	wakeMail();
}

/**
 * An account without a password and with an unverified address was created by a third-party sign-in, possibly not by the
 * owner of the address. The link has now identified the owner, so this removes every other way to sign in.
 *
 * @returns details for the audit event; empty if nothing was removed.
 */
async function removeForeignFactors(
	{ users, secondFactors, thirdPartyAccounts, passkeys }: Needed["db"]["stores"],
	{ tenantId, id }: User,
): Promise<{ readonly third_party_accounts_unlinked?: number; readonly passkeys_removed?: number }> {
	await secondFactors.lock(tenantId, id);
	const user = await users.findWithPassword(tenantId, id);
	if (user === undefined || user.emailVerified || user.passwordHash !== NO_PASSWORD) return {};
	const unlinked = await thirdPartyAccounts.removeAll(tenantId, id);
	const removed = (await passkeys.listAll(tenantId, id)).length;
	// Includes an authenticator app, which would lock the owner out.
	await secondFactors.removeAll(tenantId, id);
	await secondFactors.settle(tenantId, id);
	return { third_party_accounts_unlinked: unlinked, passkeys_removed: removed };
}

function notFound(): AppError {
	return new AppError("reset.not_found", "the link is not valid: it was used or replaced, or has expired");
}
