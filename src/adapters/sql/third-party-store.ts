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

/** One index look-up each: the id it was linked by, or a further one. */
const FIND_USER = `SELECT ${USER_COLUMNS}, a.id AS account_id, a.linked_at
	FROM third_party_accounts a JOIN users u ON u.id = a.user_id AND u.tenant_id = a.tenant_id
	WHERE a.id = COALESCE(
		(SELECT id FROM third_party_accounts WHERE tenant_id = $1 AND provider = $2 AND provider_user_id = $3),
		(SELECT account_id FROM third_party_aliases WHERE tenant_id = $1 AND provider = $2 AND provider_user_id = $3))`;

/** Unless the id is somebody's already, as the one it was linked by or a further one. */
const INSERT = `INSERT INTO third_party_accounts (${COLUMNS})
	SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT)
	WHERE NOT EXISTS (SELECT 1 FROM third_party_aliases WHERE tenant_id = $2 AND provider = $4 AND provider_user_id = $5)
	ON CONFLICT DO NOTHING`;

/** Unless it is what an account was linked by, this one or another. */
const ADD_ALIAS = `INSERT INTO third_party_aliases (tenant_id, provider, provider_user_id, account_id)
	SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT) WHERE NOT EXISTS
		(SELECT 1 FROM third_party_accounts WHERE tenant_id = $1 AND provider = $2 AND provider_user_id = $3)
	ON CONFLICT DO NOTHING`;

/** Other ways in: a password, a passkey, or an account at a provider that is there and enabled. */
const REMOVE_UNLESS_LAST = `DELETE FROM third_party_accounts WHERE id = $1 AND user_id = $2 AND tenant_id = $3 AND (
	EXISTS (SELECT 1 FROM users WHERE id = $2 AND tenant_id = $3 AND password_hash <> '')
	OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $2 AND tenant_id = $3)
	OR EXISTS (SELECT 1 FROM third_party_accounts o
		JOIN identity_providers p ON p.tenant_id = o.tenant_id AND p.provider = o.provider AND p.enabled = 1
		WHERE o.user_id = $2 AND o.tenant_id = $3 AND o.id <> $1))`;

export function createThirdPartyAccountStore(queries: Queries): ThirdPartyAccountStore {
	return {
		async insert(account) {
			const changed = await queries.run(
				INSERT,
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
				FIND_USER,
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
		async addAliases(account, providerUserIds) {
			for (const providerUserId of providerUserIds) {
				await queries.run(ADD_ALIAS, account.tenantId, account.provider, providerUserId, account.id);
			}
		},
		removeAll: (tenantId, userId) =>
			queries.run("DELETE FROM third_party_accounts WHERE user_id = $1 AND tenant_id = $2", userId, tenantId),
		removeSince: (tenantId, userId, fromMs) =>
			queries.run(
				"DELETE FROM third_party_accounts WHERE user_id = $1 AND tenant_id = $2 AND linked_at >= $3",
				userId,
				tenantId,
				fromMs,
			),
		remove: (tenantId, userId, accountId) => remove(queries, tenantId, userId, accountId),
	};
}

async function remove(
	queries: Queries,
	tenantId: string,
	userId: string,
	accountId: string,
): Promise<"removed" | "missing" | "last"> {
	// Writing the user's own row takes its lock on every engine, so that ways in are taken away one by one.
	await queries.run(
		"UPDATE users SET updated_at = updated_at WHERE id = $1 AND tenant_id = $2",
		userId,
		tenantId,
	);
	const removed = await queries.run(REMOVE_UNLESS_LAST, accountId, userId, tenantId);
	if (removed === 1) return "removed";
	const kept = await queries.one(
		"SELECT 1 AS found FROM third_party_accounts WHERE id = $1 AND user_id = $2 AND tenant_id = $3",
		accountId,
		userId,
		tenantId,
	);
	return kept === undefined ? "missing" : "last";
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
