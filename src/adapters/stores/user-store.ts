// Users in SQL.

import { type Taken, type UserChanges, type UserStore, usernameKey } from "../../domain/user.ts";
import { totalOf } from "../sql/counted-tables.ts";
import type { Queries } from "../sql/engine.ts";
import { Filter } from "../sql/page.ts";
import { unlessTaken } from "../sql/table.ts";
import { storedUsers, users, usersWithPassword } from "../sql/tables/account-tables.ts";
import { tenants } from "../sql/tables/platform-tables.ts";

const THIS_USER = "id = $1 AND tenant_id = $2";
/** System roles are a comma-separated list: found as `,role,` within `,list,`. */
const ROLES = "roles <> '' AND (',' || roles || ',')";
const REVIEWERS = `tenant_id = $1 AND status = 'active' AND (${ROLES} LIKE '%,reviewer,%' OR ${ROLES} LIKE '%,admin,%')
	ORDER BY created_at, id`;
const HAS_WAY_IN = `${THIS_USER} AND (
	password_hash <> ''
	OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1 AND tenant_id = $2)
	OR EXISTS (SELECT 1 FROM third_party_accounts a
		JOIN identity_providers p ON p.tenant_id = a.tenant_id AND p.provider = a.provider AND p.enabled = 1
		WHERE a.user_id = $1 AND a.tenant_id = $2))`;

export function createUserStore(queries: Queries): UserStore {
	return {
		async insert(user) {
			const row = { ...user, usernameKey: usernameKey(user.username) };
			if (await storedUsers.insertUnlessTaken(queries, row)) return undefined;
			// Refused by one of two indexes.
			const key = "tenant_id = $1 AND username_key = $2";
			return (await users.exists(queries, key, row.tenantId, row.usernameKey)) ? "username" : "email";
		},
		findById: (tenantId, id) => users.find(queries, THIS_USER, id, tenantId),
		findByLogin(tenantId, login) {
			const column = login.includes("@") ? "email" : "username_key";
			const condition = `tenant_id = $1 AND ${column} = $2`;
			return usersWithPassword.find(queries, condition, tenantId, login.toLowerCase());
		},
		findWithPassword: (tenantId, id) => usersWithPassword.find(queries, THIS_USER, id, tenantId),
		listReviewers: (tenantId) => users.all(queries, REVIEWERS, tenantId),
		list({ tenantId, q, status, role, email, username }, page) {
			const filter = new Filter()
				.add("tenant_id = ?", tenantId)
				.maybe("status = ?", status)
				.maybe(`${ROLES} LIKE ?`, role === undefined ? undefined : `%,${role},%`)
				.maybe("email = ?", email)
				.maybe("username_key = ?", username === undefined ? undefined : usernameKey(username))
				.contains(["username", "email", "display_name"], q);
			const total = q || role || email || username ? undefined : totalOf("users", tenantId, status);
			return users.list(queries, { filter, total }, page);
		},
		update: (tenantId, id, changes, nowMs) => update(queries, [id, tenantId], changes, nowMs),
		replacePassword: (tenantId, id, fromHash, passwordHash, nowMs) =>
			storedUsers.updateOne(
				queries,
				{ passwordHash, updatedAtMs: nowMs },
				`${THIS_USER} AND password_hash = $3`,
				id,
				tenantId,
				fromHash,
			),
		confirmPassword: (tenantId, id, fromHash, passwordHash) =>
			storedUsers.updateOne(
				queries,
				{ passwordHash },
				`${THIS_USER} AND password_hash = $3 AND status = 'active'`,
				id,
				tenantId,
				fromHash,
			),
		noteSignIn: (tenantId, id, lastLoginAtMs) =>
			users.updateOne(queries, { lastLoginAtMs }, `${THIS_USER} AND status = 'active'`, id, tenantId),
		remove: (tenantId, id) => users.deleteOne(queries, THIS_USER, id, tenantId),
		hasWayIn: (tenantId, id) => users.exists(queries, HAS_WAY_IN, id, tenantId),
		async holdVerifiedEmail(tenantId, id, email) {
			const condition = `${THIS_USER} AND email = $3 AND email_verified = 1`;
			return (await users.lock(queries, condition, id, tenantId, email)) === 1;
		},
		async countOtherActiveAdmins(tenantId, exceptUserId) {
			// Under the lock of the tenant's row, so that two changes never count the same admin.
			await tenants.lock(queries, "id = $1", tenantId);
			const condition = `tenant_id = $1 AND id <> $2 AND status = 'active' AND ${ROLES} LIKE '%,admin,%'`;
			return users.count(queries, condition, tenantId, exceptUserId);
		},
	};
}

function update(
	queries: Queries,
	place: readonly [id: string, tenantId: string],
	changes: UserChanges,
	nowMs: number,
): Promise<Taken | "missing"> {
	const key = changes.username === undefined ? undefined : usernameKey(changes.username);
	const row = { ...changes, usernameKey: key, updatedAtMs: nowMs };
	return unlessTaken(
		storedUsers.updateOne(queries, row, THIS_USER, ...place).then((done) => (done ? undefined : "missing")),
		(constraint) => (constraint.includes("username") ? "username" : "email"),
	);
}
