// An admin makes an account for somebody.

import type { PasswordHasher } from "../../crypto/password.ts";
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	checkPlatformAdmin,
	type SystemRole,
	sortRoles,
	takenError,
	type User,
	type UserStatus,
	type UserStore,
} from "./model.ts";

export interface CreateUserDeps {
	readonly db: Persistence<{ users: UserStore; audit: AuditLog }>;
	readonly passwords: PasswordHasher;
	readonly clock: Clock;
}

/** `email` arrives in its canonical form. An address nobody has proved is not verified unless the admin says so. */
export interface UserToCreate {
	readonly username: string;
	readonly email: string;
	readonly passwordPlain: string;
	readonly emailVerified?: boolean | undefined;
	readonly displayName?: string | undefined;
	readonly avatarUrl?: string | undefined;
	readonly roles?: readonly SystemRole[] | undefined;
	readonly status?: UserStatus | undefined;
}

/**
 * Makes the account in the actor's tenant. Two requests for one name or address: the index lets one through.
 *
 * @throws AppError `password.*` (policy), `role.required` (only a platform admin makes one), `username.taken`,
 * `email.taken`.
 */
export async function createUser(
	{ db, passwords, clock }: CreateUserDeps,
	wanted: UserToCreate,
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<User> {
	const roles = sortRoles(wanted.roles ?? []);
	if (roles.includes("platform_admin")) checkPlatformAdmin(actor);
	const passwordPlain = await passwords.check(wanted.passwordPlain, wanted);
	const passwordHash = await passwords.hash(passwordPlain);
	const now = clock();
	const user: User = {
		id: newId(now),
		tenantId: actor.tenantId,
		username: wanted.username,
		email: wanted.email,
		emailVerified: wanted.emailVerified ?? false,
		displayName: wanted.displayName ?? "",
		avatarUrl: wanted.avatarUrl ?? "",
		status: wanted.status ?? "active",
		roles,
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: now,
		updatedAtMs: now,
	};
	await db.transaction(async ({ users, audit }) => {
		const taken = await users.insert({ ...user, passwordHash });
		if (taken !== undefined) throw takenError(taken);
		await audit.append({
			tenantId: user.tenantId,
			actor: `user:${actor.id}`,
			action: "user.created",
			target: `user:${user.id}`,
			origin,
			details: { username: user.username, roles, status: user.status },
		});
	});
	return user;
}
