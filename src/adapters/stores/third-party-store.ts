// Third-party accounts in SQL.

import type { ThirdPartyAccountStore } from "../../domain/third-party-account.ts";
import type { Queries } from "../sql/queries.ts";
import { users } from "../sql/tables/account-tables.ts";
import { thirdPartyAccounts, thirdPartyAliases } from "../sql/tables/third-party-tables.ts";

const SINCE = "user_id = $1 AND tenant_id = $2 AND linked_at >= $3";
/** One index lookup each: the id with which the account was linked, or an additional one. */
const FIND_USER = `SELECT ${users.as("u").columns}, a.id AS "accountId", a.linked_at AS "linkedAtMs"
	FROM third_party_accounts a JOIN users u ON u.id = a.user_id AND u.tenant_id = a.tenant_id
	WHERE a.id = COALESCE(
		(SELECT id FROM third_party_accounts WHERE tenant_id = $1 AND provider = $2 AND provider_user_id = $3),
		(SELECT account_id FROM third_party_aliases WHERE tenant_id = $1 AND provider = $2 AND provider_user_id = $3))`;
const THIS_IDENTITY =
	"tenant_id = {tenantId} AND provider = {provider} AND provider_user_id = {providerUserId}";
const insertUnlessAlias = thirdPartyAccounts.insertWith({
	where: `NOT EXISTS (SELECT 1 FROM third_party_aliases WHERE ${THIS_IDENTITY})`,
});
const addUnlessAccount = thirdPartyAliases.insertWith({
	where: `NOT EXISTS (SELECT 1 FROM third_party_accounts WHERE ${THIS_IDENTITY})`,
});
/** Another way to sign in remains: a password, a passkey, or an account at a provider that exists and is enabled. */
const IS_NOT_LAST = `id = $1 AND user_id = $2 AND tenant_id = $3 AND (
	EXISTS (SELECT 1 FROM users WHERE id = $2 AND tenant_id = $3 AND password_hash <> '')
	OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $2 AND tenant_id = $3)
	OR EXISTS (SELECT 1 FROM third_party_accounts o
		JOIN identity_providers p ON p.tenant_id = o.tenant_id AND p.provider = o.provider AND p.enabled = 1 AND p.uses LIKE '%,sign_in,%'
		WHERE o.user_id = $2 AND o.tenant_id = $3 AND o.id <> $1))`;

export function createThirdPartyAccountStore(queries: Queries): ThirdPartyAccountStore {
	return {
		insert: async (account) => (await insertUnlessAlias(queries, account)) === 1,
		list(tenantId, userId, page) {
			const filter = thirdPartyAccounts.matching({ tenantId, userId });
			return thirdPartyAccounts.list(queries, { filter, order: "linked_at DESC, id DESC" }, page);
		},
		async findUser(tenantId, provider, providerUserId) {
			const place = [tenantId, provider, providerUserId];
			const row = await queries.one<{ accountId: string; linkedAtMs: number }>(FIND_USER, ...place);
			if (row === undefined) return undefined;
			const { accountId: id, linkedAtMs } = row;
			const user = users.read(row);
			return { user, account: { id, tenantId, userId: user.id, provider, providerUserId, linkedAtMs } };
		},
		async addAliases({ id, tenantId, provider }, providerUserIds) {
			for (const providerUserId of providerUserIds)
				await addUnlessAccount(queries, { tenantId, provider, providerUserId, accountId: id });
		},
		removeAll: (tenantId, userId) => thirdPartyAccounts.delete(queries, { userId, tenantId }),
		isIdentity: (id, providerUserId) => thirdPartyAccounts.exists(queries, { id, providerUserId }),
		removeIdentity: (tenantId, userId, provider, providerUserId) =>
			thirdPartyAccounts.deleteOne(queries, { tenantId, userId, provider, providerUserId }),
		removeSince: (tenantId, userId, fromMs) =>
			thirdPartyAccounts.delete(queries, SINCE, userId, tenantId, fromMs),
		async remove(tenantId, userId, accountId) {
			// Lock the user, so that the second of two concurrent removals sees the first.
			await users.lock(queries, { id: userId, tenantId });
			if (await thirdPartyAccounts.deleteOne(queries, IS_NOT_LAST, accountId, userId, tenantId))
				return "removed";
			const isLinked = await thirdPartyAccounts.exists(queries, { id: accountId, userId, tenantId });
			return isLinked ? "last" : "missing";
		},
	};
}
