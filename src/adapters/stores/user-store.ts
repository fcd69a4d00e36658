// Users in SQL.

import { FAILURES_BEFORE_LOCK } from "../../domain/sign-in-attempt.ts";
import {
	MAILED_MEMBERS_MAX,
	type NewUser,
	type Taken,
	USER_STATUSES,
	type User,
	type UserChanges,
	type UserStore,
	usernameKey,
} from "../../domain/user.ts";
import { userKeyContext } from "../../domain/user-key.ts";
import { canonicalLogin } from "../../kernel/email-address.ts";
import { perShared } from "../../kernel/per-shared.ts";
import { Filter } from "../sql/page.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { totalOf } from "../sql/row-counts.ts";
import { unlessTaken } from "../sql/table.ts";
import { storedUsers, userKeys, userNames, users, usersWithPassword } from "../sql/tables/account-tables.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import type { UserKeyOptions } from "./sealed-audit.ts";
import { isByCreation, planOf } from "./user-order.ts";

/** System roles are a comma-separated list: a role is found as `,role,` within `,list,`. */
const ROLES = "(',' || roles || ',')";
/**
 * The few active users with roles. With `roles <> ''` at the top level, the planner can use the partial index over them, and
 * `status || ''` keeps it away from the index over the status of all users.
 */
const ACTIVE_WITH_ROLES = "tenant_id = $1 AND roles <> '' AND (status || '') = 'active'";
const REVIEWERS = `${ACTIVE_WITH_ROLES} AND (${ROLES} LIKE '%,reviewer,%' OR ${ROLES} LIKE '%,admin,%')
	ORDER BY created_at, id`;
const ACTIVE_MEMBERS = `tenant_id = $1 AND (status || '') = 'active' AND id IN (
	SELECT user_id FROM group_members WHERE group_id = $2 AND tenant_id = $1
		AND (expires_at IS NULL OR expires_at > $3)) LIMIT ${MAILED_MEMBERS_MAX}`;
const othersWith = (role: "admin" | "platform_admin") =>
	`${ACTIVE_WITH_ROLES} AND id <> $2 AND ${ROLES} LIKE '%,${role},%'`;
/** For the index over last sign-ins, which is by status. */
const ANY_STATUS = `status IN (${USER_STATUSES.map((status) => `'${status}'`).join(", ")})`;
/** Ids of accounts with a locked password or locked codes: `user:<id>` or `user:<id>:totp`, counted over all IP addresses. */
const LOCKED = `SELECT substr(subject, 6, 36) FROM login_failures
	WHERE tenant_id = ? AND ip = '' AND failures >= ${FAILURES_BEFORE_LOCK} AND subject >= 'user:' AND subject < 'user;'`;
const THIS_USER = "id = $1 AND tenant_id = $2";
/** All that a token of the user reads about them. */
const FIND_BY_ID = statement(`SELECT ${users.columns} FROM users WHERE id = $1`, {
	reads: "cached",
	keyedBy: "users",
});
const HAS_WAY_IN = `${THIS_USER} AND (
	password_hash <> ''
	OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1 AND tenant_id = $2)
	OR EXISTS (SELECT 1 FROM third_party_accounts a
		JOIN identity_providers p ON p.tenant_id = a.tenant_id AND p.provider = a.provider AND p.enabled = 1 AND p.uses LIKE '%,sign_in,%'
		WHERE a.user_id = $1 AND a.tenant_id = $2))`;

/** Requests share a cached row, and therefore the frozen user. */
const userOf = perShared((row: object): User => users.read(row));
const NEVER_SEEN = { lastSeenAtMs: null, dormancyWarnedAtMs: null };

/** A user who is enabled again counts as seen. */
function consequencesOf({ status, disabledReason }: UserChanges, nowMs: number) {
	if (status === undefined && disabledReason === undefined) return {};
	return { disabledReason: null, disabledAtMs: null, ...(status === "active" && { lastSeenAtMs: nowMs }) };
}

export function createUserStore(
	queries: Queries,
	{ userCiphers, seal }: Pick<UserKeyOptions, "userCiphers" | "seal">,
): UserStore {
	const update = async (
		key: Partial<User> & Pick<User, "id" | "tenantId">,
		changes: UserChanges,
		updatedAtMs: number,
	): Promise<Taken | "missing"> => {
		const { username } = changes;
		const newKey = username === undefined ? undefined : usernameKey(username);
		const row = { ...changes, ...consequencesOf(changes, updatedAtMs), usernameKey: newKey, updatedAtMs };
		const refusal = await unlessTaken(
			users.updateOne(queries, row, key).then((isDone) => (isDone ? undefined : "missing")),
			(constraint) => (constraint.includes("username") ? "username" : "email"),
		);
		if (refusal === undefined && username !== undefined) await addName({ ...key, username });
		return refusal;
	};
	const addName = ({
		id,
		tenantId,
		username,
	}: Pick<User, "id" | "tenantId" | "username">): Promise<unknown> =>
		userNames.insertUnlessTaken(queries, { userId: id, tenantId, name: username });
	const keyOf = ({ id, tenantId }: NewUser) => {
		return { id, tenantId, keySealed: seal(userCiphers.newKey(), userKeyContext(id)) };
	};
	return {
		async insert(user) {
			const row = { ...user, ...NEVER_SEEN, usernameKey: usernameKey(user.username) };
			if (await storedUsers.insertUnlessTaken(queries, row)) {
				await userKeys.insert(queries, keyOf(user));
				await addName(user);
				return undefined;
			}
			// One of two unique indexes refused the row.
			const { tenantId, usernameKey: key } = row;
			return (await users.exists(queries, { tenantId, usernameKey: key })) ? "username" : "email";
		},
		async insertAll(people) {
			const rows = people.map((user) => ({
				...user,
				...NEVER_SEEN,
				usernameKey: usernameKey(user.username),
			}));
			const inserted = await storedUsers.insertAllUntaken(queries, rows);
			const added = people.filter(({ id }) => inserted.has(id));
			await userKeys.insertAllUntaken(queries, added.map(keyOf));
			const names = added.map(({ id, tenantId, username }) => ({ userId: id, tenantId, name: username }));
			await userNames.insertAllUntaken(queries, names);
			return inserted;
		},
		async findById(tenantId, id) {
			const row = await queries.one<object>(FIND_BY_ID, id);
			const user = row && userOf(row);
			return user?.tenantId === tenantId ? user : undefined;
		},
		findByLogin(tenantId, login) {
			const name = canonicalLogin(login);
			const key = name.includes("@") ? { tenantId, email: name } : { tenantId, usernameKey: name };
			return usersWithPassword.find(queries, key);
		},
		findWithPassword: (tenantId, id) => usersWithPassword.find(queries, { id, tenantId }),
		listReviewers: (tenantId) => users.all(queries, REVIEWERS, tenantId),
		listActiveMembers: (tenantId, groupId, nowMs) =>
			users.all(queries, ACTIVE_MEMBERS, tenantId, groupId, nowMs),
		list(query, page) {
			const {
				tenantId,
				q,
				status,
				role,
				email,
				username,
				inactiveSinceMs,
				isLocked,
				sort = "newest",
			} = query;
			const { order, tenant, ofStatus } = planOf(query);
			const filter = new Filter()
				.add(tenant, tenantId)
				.maybe(ofStatus, status)
				.maybe("COALESCE(last_login_at, created_at) < ?", inactiveSinceMs)
				.maybe(`roles <> '' AND ${ROLES} LIKE ?`, role === undefined ? undefined : `%,${role},%`)
				.maybe("email = ?", email)
				.maybe("username_key = ?", username === undefined ? undefined : usernameKey(username))
				.userNamesContain(q);
			if (inactiveSinceMs !== undefined && status === undefined) filter.add(ANY_STATUS);
			if (isLocked !== undefined) filter.add(`id ${isLocked ? "" : "NOT "}IN (${LOCKED})`, tenantId);
			const isExact = Boolean(email || username);
			const isFiltered =
				isExact || Boolean(q || role) || inactiveSinceMs !== undefined || isLocked !== undefined;
			const total = isFiltered ? undefined : totalOf("users", tenantId, status);
			// No index has every combination of filters and orders.
			if (!isExact && (isFiltered || (status !== undefined && !isByCreation(sort)))) filter.separately();
			return users.list(queries, { filter, order, total }, page);
		},
		update: (tenantId, id, changes, nowMs) => update({ id, tenantId }, changes, nowMs),
		acceptInvitation: (tenantId, id, email, changes, nowMs) =>
			update({ id, tenantId, email, status: "invited" }, { ...changes, status: "active" }, nowMs),
		replacePassword(tenantId, id, fromHash, passwordHash, nowMs) {
			const replaced = { id, tenantId, passwordHash: fromHash };
			return users.updateOne(queries, { passwordHash, updatedAtMs: nowMs }, replaced);
		},
		confirmPassword(tenantId, id, fromHash, passwordHash) {
			const confirmed = { id, tenantId, passwordHash: fromHash, status: "active" } as const;
			return users.updateOne(queries, { passwordHash }, confirmed);
		},
		noteSignIn: (tenantId, id, lastLoginAtMs) =>
			users.updateOne(queries, { lastLoginAtMs }, { id, tenantId, status: "active" }),
		hold: async (tenantId, id) => (await users.lock(queries, { id, tenantId })) === 1,
		remove: (tenantId, id) => users.deleteOne(queries, { id, tenantId }),
		canSignIn: (tenantId, id) => users.exists(queries, HAS_WAY_IN, id, tenantId),
		async holdVerifiedEmail(tenantId, id, email) {
			return (await users.lock(queries, { id, tenantId, email, emailVerified: true })) === 1;
		},
		async countOtherActiveAdmins(tenantId, exceptUserId, role = "admin") {
			// Lock the tenant, so that two changes cannot count the same admin.
			await tenants.lock(queries, { id: tenantId });
			return users.count(queries, othersWith(role), tenantId, exceptUserId);
		},
	};
}
