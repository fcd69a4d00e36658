// An admin sends an invited user a new link.

import type { Administrator } from "../../../domain/caller.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { type InvitationStore, issueInvitation } from "../steps/issue-invitation.ts";
import { getManaged } from "../users/manage-users.ts";

/**
 * The link that was mailed before ends.
 *
 * @throws AppError `user.not_found`, `role.required`, `user.invite_unusable` (not invited, or no address that receives
 * mail).
 */
export async function inviteAgain(
	{
		db,
		clock,
		publicUrl,
		wakeMail,
	}: Needs<InvitationStore | "users" | "secondFactors", "clock" | "publicUrl" | "wakeMail">,
	userId: string,
	caller: Administrator,
): Promise<void> {
	await db.transaction(async (stores) => {
		// Serializes with the acceptance, so that an active user is not invited.
		await stores.secondFactors.lock(caller.tenantId, userId);
		const user = await getManaged(stores.users, userId, caller);
		if (user.status !== "invited")
			throw new AppError(
				"user.invite_unusable",
				`the account is ${user.status}: only invited users are invited again`,
			);
		await issueInvitation(stores, publicUrl, user, clock(), caller);
	});
	wakeMail();
}
