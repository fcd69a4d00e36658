// An admin has the link to set a new password mailed to a user.

import { userTarget } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { tooManyMails } from "../../../domain/mailed-code.ts";
import { isPlaceholderAddress, type User } from "../../../domain/user.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { issueRecoveryLink, resetLink } from "../steps/issue-recovery-link.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import { getManaged } from "../users/manage-users.ts";

/**
 * The same link, with the same limits for the address, as `forgotPassword` mails; the admin does not see its token. A
 * new link replaces the last one.
 *
 * @throws AppError `user.not_found`, `role.required`, `user.reset_unusable`, `code.too_many`.
 */
export async function sendReset(
	{
		db,
		clock,
		publicUrl,
		wakeMail,
	}: Needs<"users" | "emailCodes" | "recoveryLinks" | "mail" | "audit", "clock" | "publicUrl" | "wakeMail">,
	userId: string,
	caller: Administrator,
): Promise<void> {
	const now = clock();
	const refusal = await db.transaction(async (stores) => {
		const user = await getManaged(stores.users, userId, caller);
		checkUsable(user);
		const { tenantId, email, username } = user;
		const refused = await stores.emailCodes.countSend({ purpose: "password_reset", address: email }, now);
		if (refused !== undefined) return refused;
		const link = { tenantId, userId, purpose: "password_reset", email } as const;
		const { token } = await issueRecoveryLink(stores, link, now);
		const message = { kind: "password_reset", username, ...resetLink(publicUrl, token) } as const;
		await mailOwner(stores, user, message, caller.origin);
		await stores.audit.append(caller, "user.password_reset_requested", userTarget(user));
		return undefined;
	});
	if (refusal !== undefined) throw tooManyMails(refusal, now);
	wakeMail();
}

/** As `resetPassword` requires, and that a mail arrives. */
function checkUsable({ status, email }: User): void {
	if (status !== "active")
		throw new AppError(
			"user.reset_unusable",
			`the account is ${status}: the link works for active ones only`,
		);
	if (isPlaceholderAddress(email))
		throw new AppError("user.reset_unusable", "the account has no e-mail address that receives mail");
}
