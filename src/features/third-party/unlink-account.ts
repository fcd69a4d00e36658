// A user, or an admin for them, takes the link to an outside identity away.

import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { checkManages, type User, type UserStore, userNotFound } from "../users/model.ts";
import type { ThirdPartyAccountStore } from "./model.ts";

export interface UnlinkAccountDeps {
	readonly db: Persistence<{
		users: UserStore;
		thirdPartyAccounts: ThirdPartyAccountStore;
		audit: AuditLog;
	}>;
}

const LAST_WAY = "this account is the last way to sign in: set a password or link another account first";

/**
 * Removes the link; sessions that were begun with it live on. The last way to sign in stays (contract section 8), for
 * admins too: they set a password first, or disable the account.
 *
 * @throws AppError `user.not_found`, `role.required`, `third_party_account.not_found` (also for another user's),
 * `third_party_account.last_way`.
 */
export async function unlinkAccount(
	{ db }: UnlinkAccountDeps,
	userId: string,
	accountId: string,
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<void> {
	const { tenantId } = actor;
	await db.transaction(async ({ users, thirdPartyAccounts, audit }) => {
		const user = await users.findById(tenantId, userId);
		if (user === undefined) throw userNotFound();
		if (actor.id !== userId) checkManages(actor, user);
		const outcome = await thirdPartyAccounts.remove(tenantId, userId, accountId);
		if (outcome === "missing")
			throw new AppError("third_party_account.not_found", "no such third-party account");
		if (outcome === "last") throw new AppError("third_party_account.last_way", LAST_WAY);
		await audit.append({
			tenantId,
			actor: `user:${actor.id}`,
			action: "third_party_account.unlinked",
			target: `user:${userId}`,
			origin,
			details: { account_id: accountId },
		});
	});
}
