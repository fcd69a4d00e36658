// Admin keys in SQL: a key is valid as long as its row exists.

import { type AdminKeyStore, EXPIRED_KEYS_KEPT_MS, type PresentedKey } from "../../domain/admin-key.ts";
import { columnOf, type Queries } from "../sql/queries.ts";
import { adminKeys, adminKeysWithDigest, users } from "../sql/tables/account-tables.ts";
import { noteUsesIn } from "./credential-uses.ts";

const presented = adminKeys.pick(
	"id",
	"tenantId",
	"name",
	"roles",
	"ipAllowlist",
	"workloads",
	"expiresAtMs",
);
const creator = users.pick("status", "roles");
/** The creator's columns have their own names, because both tables have `roles`. */
const FIND = `SELECT ${presented.as("k").columns}, u.status AS "creatorStatus", u.roles AS "creatorRoles"
	FROM admin_keys k LEFT JOIN users u ON u.id = k.created_by AND u.tenant_id = k.tenant_id
	WHERE (k.created_by IS NULL OR u.id IS NOT NULL)`;
const FIND_PRESENTED = `${FIND} AND k.key_digest = $1`;
const FIND_HELD = `${FIND} AND k.id = $1 AND k.workloads <> '[]'`;
const USING_ISSUER =
	"SELECT name FROM admin_keys WHERE tenant_id = $1 AND workloads LIKE $2 ORDER BY name LIMIT 5";
const noteUse = noteUsesIn("admin_keys");

export function createAdminKeyStore(queries: Queries): AdminKeyStore {
	const find = async (sql: string, value: string): Promise<PresentedKey | undefined> => {
		const row = await queries.one<{ creatorStatus: string | null; creatorRoles: string | null }>(sql, value);
		if (row === undefined) return undefined;
		const { creatorStatus: status, creatorRoles: roles } = row;
		const lender = status === null ? null : creator.read({ status, roles });
		return { ...presented.read(row), creator: lender };
	};
	return {
		insert: (key) => adminKeysWithDigest.insert(queries, key),
		findPresented: (keyDigest) => find(FIND_PRESENTED, keyDigest),
		findHeld: (id) => find(FIND_HELD, id),
		namesUsingIssuer: (tenantId, issuerId) => columnOf(queries, USING_ISSUER, tenantId, `%"${issuerId}"%`),
		list: (tenantId, page) => adminKeys.list(queries, { filter: adminKeys.matching({ tenantId }) }, page),
		listOf: (tenantId, userId) => adminKeys.all(queries, { createdBy: userId, tenantId }),
		remove: (tenantId, id) => adminKeys.deleteReturning(queries, { id, tenantId }),
		noteUse: (uses) => noteUse(queries, uses),
		purge: (nowMs, limit) =>
			adminKeys.purge(queries, "expires_at <= $1", nowMs - EXPIRED_KEYS_KEPT_MS, limit),
	};
}
