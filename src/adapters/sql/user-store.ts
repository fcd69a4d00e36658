// Users in SQL.

import type {
	NewUser,
	SystemRole,
	Taken,
	User,
	UserChanges,
	UserStatus,
	UserStore,
} from "../../features/users/model.ts";
import { usernameKey } from "../../features/users/model.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import { totalOf } from "./counted-tables.ts";
import type { Queries, SqlValue } from "./engine.ts";
import { Filter, listPage } from "./page.ts";

/** The columns of a user, as other stores join them under the alias `u`. */
export const USER_COLUMNS =
	"u.id, u.tenant_id, u.username, u.email, u.email_verified, u.display_name, u.avatar_url, u.status, u.roles, u.mfa_enabled, u.last_login_at, u.created_at, u.updated_at";

export interface UserRow {
	id: string;
	tenant_id: string;
	username: string;
	email: string;
	email_verified: number;
	display_name: string;
	avatar_url: string;
	status: UserStatus;
	roles: string;
	mfa_enabled: number;
	last_login_at: number | null;
	created_at: number;
	updated_at: number;
}

type UserWithPasswordRow = UserRow & { password_hash: string };

const WITH_PASSWORD = `SELECT ${USER_COLUMNS}, u.password_hash FROM users u`;
const NEWEST = "u.created_at DESC, u.id DESC";
/** System roles are a comma-separated list: found as `,role,` within `,list,`. */
const HAS_ROLE = "u.roles <> '' AND (',' || u.roles || ',') LIKE ?";

export function toUser(row: UserRow): User {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		username: row.username,
		email: row.email,
		emailVerified: row.email_verified === 1,
		displayName: row.display_name,
		avatarUrl: row.avatar_url,
		status: row.status,
		roles: parseRoles(row.roles),
		mfaEnabled: row.mfa_enabled === 1,
		lastLoginAtMs: row.last_login_at,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}

const NO_ROLES: readonly SystemRole[] = [];

function parseRoles(text: string): readonly SystemRole[] {
	return text === "" ? NO_ROLES : (text.split(",") as SystemRole[]);
}

const HAS_WAY_IN = `SELECT 1 AS found FROM users u WHERE u.id = $1 AND u.tenant_id = $2 AND (
	u.password_hash <> ''
	OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1 AND tenant_id = $2)
	OR EXISTS (SELECT 1 FROM third_party_accounts a
		JOIN identity_providers p ON p.tenant_id = a.tenant_id AND p.provider = a.provider AND p.enabled = 1
		WHERE a.user_id = $1 AND a.tenant_id = $2))`;

export function createUserStore(queries: Queries): UserStore {
	return {
		async insert(user) {
			const changed = await queries.run(
				`INSERT INTO users (id, tenant_id, username, username_key, email, email_verified, display_name, avatar_url, status, roles, password_hash, last_login_at, created_at, updated_at)
				 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`,
				user.id,
				user.tenantId,
				user.username,
				usernameKey(user.username),
				user.email,
				user.emailVerified ? 1 : 0,
				user.displayName,
				user.avatarUrl,
				user.status,
				user.roles.join(","),
				user.passwordHash,
				user.lastLoginAtMs,
				user.createdAtMs,
				user.updatedAtMs,
			);
			return changed === 1 ? undefined : whichIsTaken(queries, user.tenantId, user.username);
		},
		async findById(tenantId, id) {
			const row = await queries.one<UserRow>(
				`SELECT ${USER_COLUMNS} FROM users u WHERE u.id = $1 AND u.tenant_id = $2`,
				id,
				tenantId,
			);
			return row && toUser(row);
		},
		async findByLogin(tenantId, login) {
			const column = login.includes("@") ? "email" : "username_key";
			const row = await queries.one<UserWithPasswordRow>(
				`${WITH_PASSWORD} WHERE u.tenant_id = $1 AND u.${column} = $2`,
				tenantId,
				login.toLowerCase(),
			);
			return row && withPassword(row);
		},
		async findWithPassword(tenantId, id) {
			const row = await queries.one<UserWithPasswordRow>(
				`${WITH_PASSWORD} WHERE u.id = $1 AND u.tenant_id = $2`,
				id,
				tenantId,
			);
			return row && withPassword(row);
		},
		async listReviewers(tenantId) {
			const rows = await queries.all<UserRow>(
				`SELECT ${USER_COLUMNS} FROM users u
				 WHERE u.tenant_id = $1 AND u.status = 'active' AND u.roles <> ''
				   AND ((',' || u.roles || ',') LIKE '%,reviewer,%' OR (',' || u.roles || ',') LIKE '%,admin,%')
				 ORDER BY u.created_at, u.id`,
				tenantId,
			);
			return rows.map(toUser);
		},
		list({ tenantId, q, status, role }, page) {
			const filter = new Filter()
				.add("u.tenant_id = ?", tenantId)
				.maybe("u.status = ?", status)
				.maybe(HAS_ROLE, role === undefined ? undefined : `%,${role},%`)
				.contains(["u.username", "u.email", "u.display_name"], q);
			const total = q || role ? undefined : totalOf("users", tenantId, status);
			return listPage<UserRow, User>(
				queries,
				{ columns: USER_COLUMNS, from: "users u", order: NEWEST, filter, total },
				page,
				toUser,
			);
		},
		update: (tenantId, id, changes, nowMs) => updateUser(queries, tenantId, id, changes, nowMs),
		async replacePassword(tenantId, id, fromHash, toHash, nowMs) {
			const changed = await queries.run(
				"UPDATE users SET password_hash = $4, updated_at = $5 WHERE id = $1 AND tenant_id = $2 AND password_hash = $3",
				id,
				tenantId,
				fromHash,
				toHash,
				nowMs,
			);
			return changed === 1;
		},
		async confirmPassword(tenantId, id, fromHash, toHash) {
			const changed = await queries.run(
				"UPDATE users SET password_hash = $4 WHERE id = $1 AND tenant_id = $2 AND password_hash = $3 AND status = 'active'",
				id,
				tenantId,
				fromHash,
				toHash,
			);
			return changed === 1;
		},
		async noteSignIn(tenantId, id, atMs) {
			const changed = await queries.run(
				"UPDATE users SET last_login_at = $3 WHERE id = $1 AND tenant_id = $2 AND status = 'active'",
				id,
				tenantId,
				atMs,
			);
			return changed === 1;
		},
		async remove(tenantId, id) {
			return (await queries.run("DELETE FROM users WHERE id = $1 AND tenant_id = $2", id, tenantId)) === 1;
		},
		async hasWayIn(tenantId, id) {
			return (await queries.one(HAS_WAY_IN, id, tenantId)) !== undefined;
		},
		async holdVerifiedEmail(tenantId, id, email) {
			const sql =
				"UPDATE users SET updated_at = updated_at WHERE id = $1 AND tenant_id = $2 AND email = $3 AND email_verified = 1";
			return (await queries.run(sql, id, tenantId, email)) === 1;
		},
		async countOtherActiveAdmins(tenantId, exceptUserId) {
			// Writing the tenant's own row takes its lock on every engine, so that admins are counted one by one.
			await queries.run("UPDATE tenants SET updated_at = updated_at WHERE id = $1", tenantId);
			const row = await queries.one<{ total: number }>(
				`SELECT count(*) AS total FROM users u
				 WHERE u.tenant_id = $1 AND u.id <> $2 AND u.status = 'active' AND u.roles <> '' AND (',' || u.roles || ',') LIKE '%,admin,%'`,
				tenantId,
				exceptUserId,
			);
			return row?.total ?? 0;
		},
	};
}

function withPassword(row: UserWithPasswordRow): NewUser {
	return { ...toUser(row), passwordHash: row.password_hash };
}

/** The insert was refused by an index: by the username's, or else by the e-mail's. */
async function whichIsTaken(queries: Queries, tenantId: string, username: string): Promise<Taken> {
	const row = await queries.one(
		"SELECT 1 AS found FROM users WHERE tenant_id = $1 AND username_key = $2",
		tenantId,
		usernameKey(username),
	);
	return row === undefined ? "email" : "username";
}

async function updateUser(
	queries: Queries,
	tenantId: string,
	id: string,
	changes: UserChanges,
	nowMs: number,
): Promise<Taken | "missing"> {
	const columns: Record<string, SqlValue | undefined> = {
		username: changes.username,
		username_key: changes.username === undefined ? undefined : usernameKey(changes.username),
		email: changes.email,
		email_verified: changes.emailVerified === undefined ? undefined : Number(changes.emailVerified),
		display_name: changes.displayName,
		avatar_url: changes.avatarUrl,
		status: changes.status,
		roles: changes.roles?.join(","),
		password_hash: changes.passwordHash,
		last_login_at: changes.lastLoginAtMs,
		updated_at: nowMs,
	};
	const set = Object.entries(columns).filter((entry): entry is [string, SqlValue] => entry[1] !== undefined);
	const assignments = set.map(([column], index) => `${column} = $${index + 3}`).join(", ");
	try {
		const changed = await queries.run(
			`UPDATE users SET ${assignments} WHERE id = $1 AND tenant_id = $2`,
			id,
			tenantId,
			...set.map(([, value]) => value),
		);
		return changed === 1 ? undefined : "missing";
	} catch (error) {
		if (!(error instanceof UniqueViolation)) throw error;
		return error.constraint.includes("username") ? "username" : "email";
	}
}
