// Mails an invited user the link to accept the invitation.

import { userTarget } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { isReachable } from "../../../domain/mail.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import { issueRecoveryLink } from "./issue-recovery-link.ts";
import { mailOwner } from "./mail-owner.ts";

export type InvitationStore = "recoveryLinks" | "mail" | "audit";

/**
 * Inside a transaction: replaces the user's earlier link. Only a digest of the token is stored, and the administrator
 * does not see it. Call `wakeMail` after the commit.
 *
 * @throws AppError `user.invite_unusable` for an address that receives no mail.
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
		throw new AppError("user.invite_unusable", "the account has no e-mail address that receives mail");
	const link = { tenantId, userId, purpose: "invite", email } as const;
	const { token, expiresAtMs } = await issueRecoveryLink(stores, link, nowMs);
	const inviteUrl = `${publicUrl}/invite#${token}`;
	const message = { kind: "invitation", username, inviteUrl, expiresAt: isoTime(expiresAtMs) } as const;
	await mailOwner(stores, user, message, caller.origin);
	await stores.audit.append(caller, "user.invited", userTarget(user));
}
