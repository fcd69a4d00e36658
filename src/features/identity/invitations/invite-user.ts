// Mails an invited user the link to accept the invitation.

import { userTarget } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { findEnforcedRefusal } from "../../../domain/enforced-sign-in.ts";
import { isReachable } from "../../../domain/mail.ts";
import type { Stores } from "../../../domain/stores.ts";
import { getManaged, type User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { issueRecoveryLink } from "../steps/issue-recovery-link.ts";
import { mailOwner } from "../steps/mail-owner.ts";

export type InvitationStore = "domains" | "recoveryLinks" | "mail" | "audit";

/**
 * Inside a transaction: replaces the user's earlier link. Stores only a digest of the token, and does not reveal it to
 * the administrator. Call `wakeMail` after the commit.
 *
 * @throws AppError `user.invite_unusable` for an address that receives no mail, or whose sign-in is enforced.
 */
export async function issueInvitation(
	stores: Stores<InvitationStore>,
	publicUrl: string,
	user: User,
	nowMs: number,
	caller: Administrator,
): Promise<void> {
	const { id: userId, tenantId, email, username } = user;
	if (!isReachable(email))
		throw new AppError("user.invite_unusable", "the account has no email address that receives mail");
	const refusal = await findEnforcedRefusal(stores, user, null);
	if (refusal !== undefined) throw new AppError("user.invite_unusable", refusal.message);
	const link = { tenantId, userId, purpose: "invite", email } as const;
	const { token, expiresAtMs } = await issueRecoveryLink(stores, link, nowMs);
	const inviteUrl = `${publicUrl}/invite#${token}`;
	const message = { kind: "invitation", username, inviteUrl, expiresAt: isoTime(expiresAtMs) } as const;
	await mailOwner(stores, user, message, caller.origin);
	await stores.audit.append(caller, "user.invited", userTarget(user));
}

/**
 * An administrator sends an invited user a new link, which replaces the earlier one.
 *
 * @throws AppError `user.not_found`, `role.required`, `user.invite_unusable` (not invited, or no address that receives
 * mail).
 */
export async function inviteAgain(
	needs: Needs<InvitationStore | "users" | "secondFactors", "clock" | "publicUrl" | "wakeMail">,
	userId: string,
	caller: Administrator,
): Promise<void> {
	await needs.db.transaction(async (stores) => {
		// Serializes with the acceptance, so that an active user is not invited.
		await stores.secondFactors.lock(caller.tenantId, userId);
		const user = await getManaged(stores.users, userId, caller);
		if (user.status !== "invited")
			throw new AppError(
				"user.invite_unusable",
				`the account is ${user.status}: only invited users can be invited again`,
			);
		await issueInvitation(stores, needs.publicUrl, user, needs.clock(), caller);
	});
	needs.wakeMail();
}
