// Links third-party accounts to users, and unlinks them.

import { userTarget } from "../../../domain/audit.ts";
import { ofDirectory } from "../../../domain/directory.ts";
import type { InPerson } from "../../../domain/session.ts";
import { checkManages } from "../../../domain/system-role.ts";
import { checkProviderUserId, type ThirdPartyAccount } from "../../../domain/third-party-account.ts";
import { getManaged, getUser } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { mailOwner } from "../steps/mail-owner.ts";

/**
 * An administrator links an account to a user of the tenant. The user is notified by mail. The unique index decides
 * between concurrent links of one account.
 *
 * @throws AppError `user.not_found`, `role.required` (the user is a platform admin and the caller is not),
 * `request.invalid`, `third_party_account.linked` (to this or another user).
 */
export async function linkAccount(
	needs: Needs<"users" | "secondFactors" | "thirdPartyAccounts" | "audit" | "mail", "clock" | "wakeMail">,
	identity: Pick<ThirdPartyAccount, "userId" | "provider" | "providerUserId">,
	caller: InPerson,
): Promise<ThirdPartyAccount> {
	checkProviderUserId(identity.providerUserId);
	const { tenantId } = caller;
	const now = needs.clock();
	const account: ThirdPartyAccount = { id: newId(now), tenantId, linkedAtMs: now, ...identity };
	await needs.db.transaction(async (stores) => {
		// Serializes with role changes, so that an admin cannot link an account to a user who becomes platform admin.
		await stores.secondFactors.lock(tenantId, identity.userId);
		const user = await getManaged(stores.users, identity.userId, caller);
		if (!(await stores.thirdPartyAccounts.insert(account)))
			throw new AppError("third_party_account.linked", "this third-party account is already linked");
		const { provider } = account;
		const details = { account_id: account.id, provider };
		await stores.audit.append(caller, "third_party_account.linked", userTarget(user), details);
		const message = { username: user.username, at: isoTime(now), provider };
		await mailOwner(stores, user, { kind: "third_party_account_linked", ...message }, caller.origin);
	});
	needs.wakeMail();
	return account;
}

/**
 * Users unlink their own accounts; administrators unlink accounts of a user. Sessions that began with the account
 * continue. The user's last way to sign in cannot be removed, even by an administrator.
 *
 * @throws AppError `user.not_found`, `role.required`, `third_party_account.not_found` (also for another user's account),
 * `third_party_account.last_way`, `user.of_directory` for the account with which a directory identifies its person.
 */
export async function unlinkAccount(
	{ db }: Needs<"users" | "directoryPeople" | "thirdPartyAccounts" | "audit">,
	userId: string,
	accountId: string,
	caller: InPerson,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ users, directoryPeople, thirdPartyAccounts, audit }) => {
		const user = await getUser(users, tenantId, userId);
		if (caller.userId !== userId) checkManages(caller, user);
		const person = await directoryPeople.findOfUser(tenantId, userId);
		if (person !== undefined && (await thirdPartyAccounts.isIdentity(accountId, person.externalId)))
			throw ofDirectory("this account");
		const outcome = await thirdPartyAccounts.remove(tenantId, userId, accountId);
		if (outcome === "missing")
			throw new AppError("third_party_account.not_found", "no such third-party account");
		if (outcome === "last")
			throw new AppError(
				"third_party_account.last_way",
				"this account is the last way to sign in: set a password or link another account first",
			);
		await audit.append(caller, "third_party_account.unlinked", userTarget(user), { account_id: accountId });
	});
}
