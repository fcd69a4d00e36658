// Sets a new password with a mailed link.

import { tokenDigest } from "../../../crypto/digest.ts";
import { userTarget } from "../../../domain/audit.ts";
import { userCaller } from "../../../domain/caller.ts";
import { mayResetPassword, NO_PASSWORD, type User } from "../../../domain/user.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { findLinkOwner } from "../steps/issue-recovery-link.ts";
import { type PasswordStore, setPassword } from "../steps/set-password.ts";

type Needed = Needs<
	PasswordStore | "directoryPeople" | "thirdPartyAccounts" | "secondFactors" | "passkeys",
	"passwords" | "keys" | "clock" | "wakeMail"
>;

/**
 * Ends every session and a lock, clears counted failures, and notifies the owner by mail. Does not sign in, and does not
 * change second factors. The link stays valid if the password is refused. Of concurrent uses, one succeeds. The link
 * verifies the email address, and enables an account that was disabled as dormant.
 *
 * @throws AppError `reset.not_found` (link unknown, used, replaced, or expired; account disabled, unless as dormant, or with a new
 * address),
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
	const mayReset = (user: User): boolean => mayResetPassword(user, clock());
	const { username, email } = found(await findLinkOwner(db.stores, link, mayReset), notFound);
	const newPlain = await passwords.check(newPasswordPlain, { username, email, field: "new_password" });
	const passwordHash = await passwords.hash(newPlain, origin.ip);
	const nowMs = clock();
	await db.transaction(async (stores) => {
		const consumed = await stores.recoveryLinks.consume(digest, "password_reset", nowMs);
		// An administrator who disables the account at the same time wins.
		if (consumed !== undefined) await stores.users.hold(consumed.tenantId, consumed.userId);
		const user = found(await findLinkOwner(stores, consumed, mayReset), notFound);
		const details = await removeForeignFactors(stores, user);
		const enabled = user.status === "active" ? {} : ({ status: "active" } as const);
		const change = { user, nowMs, passwordHash, changes: { emailVerified: true, ...enabled }, details };
		const newPassword = { ...change, action: "user.password_reset" } as const;
		const caller = userCaller(user, origin);
		const ended = await setPassword(stores, keys, newPassword, caller);
		if (ended === undefined) throw notFound();
		if (enabled.status === undefined) return;
		const told = { fields: ["status"], ...enabled, reason: "password_reset" };
		await stores.audit.append(caller, "user.updated", userTarget(user), told, {
			status: { from: user.status, to: enabled.status },
		});
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
	{ users, directoryPeople, secondFactors, thirdPartyAccounts, passkeys }: Needed["db"]["stores"],
	{ tenantId, id }: User,
): Promise<{ readonly third_party_accounts_unlinked?: number; readonly passkeys_removed?: number }> {
	await secondFactors.lock(tenantId, id);
	const user = await users.findWithPassword(tenantId, id);
	if (user === undefined || user.emailVerified || user.passwordHash !== NO_PASSWORD) return {};
	// The directory named the address.
	if ((await directoryPeople.findOfUser(tenantId, id)) !== undefined) return {};
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
