// An admin links an outside identity to a user.

import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import { checkManages, type User, type UserStore, userNotFound } from "../users/model.ts";
import { linkedMail } from "./linked-mail.ts";
import { checkProviderUserId, type ThirdPartyAccount, type ThirdPartyAccountStore } from "./model.ts";

export interface LinkAccountDeps {
	readonly db: Persistence<{
		users: UserStore;
		thirdPartyAccounts: ThirdPartyAccountStore;
		audit: AuditLog;
		mail: MailOutbox;
	}>;
	readonly clock: Clock;
	readonly wakeMail: () => void;
}

/**
 * Links the identity to a user of the actor's tenant, and tells them by mail. Of simultaneous links of one identity the index lets one through.
 *
 * @throws AppError `user.not_found`, `role.required` (a platform admin's sign-in is not an admin's to give),
 * `request.invalid`, `third_party_account.linked` when anybody has it, this user too.
 */
export async function linkAccount(
	{ db, clock, wakeMail }: LinkAccountDeps,
	wanted: { readonly userId: string; readonly provider: string; readonly providerUserId: string },
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<ThirdPartyAccount> {
	checkProviderUserId(wanted.providerUserId);
	const now = clock();
	const account: ThirdPartyAccount = { id: newId(now), tenantId: actor.tenantId, linkedAtMs: now, ...wanted };
	await db.transaction(async ({ users, thirdPartyAccounts, audit, mail }) => {
		const user = await users.findById(actor.tenantId, wanted.userId);
		if (user === undefined) throw userNotFound();
		checkManages(actor, user);
		if (!(await thirdPartyAccounts.insert(account)))
			throw new AppError("third_party_account.linked", "this third-party account is linked already");
		await audit.append({
			tenantId: actor.tenantId,
			actor: `user:${actor.id}`,
			action: "third_party_account.linked",
			target: `user:${user.id}`,
			origin,
			details: { account_id: account.id, provider: account.provider },
		});
		await mail.put(linkedMail(user, account.provider, now, origin));
	});
	wakeMail();
	return account;
}
