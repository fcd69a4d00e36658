// Third-party accounts in SQL.

import type { ThirdPartyAccount, ThirdPartyAccountStore } from "../../features/third-party/model.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { toUser, USER_COLUMNS, type UserRow } from "./user-store.ts";

interface AccountRow {
	id: string;
	tenant_id: string;
	user_id: string;
	provider: string;
	provider_user_id: string;
	linked_at: number;
}

const COLUMNS = "id, tenant_id, user_id, provider, provider_user_id, linked_at";

export function createThirdPartyAccountStore(queries: Queries): ThirdPartyAccountStore {
	return {
		async insert(account) {
			const changed = await queries.run(
				`INSERT INTO third_party_accounts (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
				account.id,
				account.tenantId,
				account.userId,
				account.provider,
				account.providerUserId,
				account.linkedAtMs,
			);
			return changed === 1;
		},
		list(tenantId, userId, page) {
			const filter = new Filter().add("tenant_id = ? AND user_id = ?", tenantId, userId);
			const order = "linked_at DESC, id DESC";
			return listPage<AccountRow, ThirdPartyAccount>(
				queries,
				{ columns: COLUMNS, from: "third_party_accounts", order, filter },
				page,
				toAccount,
			);
		},
		async findUser(tenantId, provider, providerUserId) {
			const row = await queries.one<UserRow & { account_id: string; linked_at: number }>(
				`SELECT ${USER_COLUMNS}, a.id AS account_id, a.linked_at
				 FROM third_party_accounts a JOIN users u ON u.id = a.user_id AND u.tenant_id = a.tenant_id
				 WHERE a.tenant_id = $1 AND a.provider = $2 AND a.provider_user_id = $3`,
				tenantId,
				provider,
				providerUserId,
			);
			if (row === undefined) return undefined;
			const account = {
				id: row.account_id,
				tenantId,
				userId: row.id,
				provider,
				providerUserId,
				linkedAtMs: row.linked_at,
			};
			return { user: toUser(row), account };
		},
		async remove(tenantId, userId, accountId) {
			const sql = "DELETE FROM third_party_accounts WHERE id = $1 AND user_id = $2 AND tenant_id = $3";
			return (await queries.run(sql, accountId, userId, tenantId)) === 1;
		},
	};
}

function toAccount(row: AccountRow): ThirdPartyAccount {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		userId: row.user_id,
		provider: row.provider,
		providerUserId: row.provider_user_id,
		linkedAtMs: row.linked_at,
	};
}
