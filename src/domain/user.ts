// A user: fields, states, limits, rules between users, and the store.

import { AppError } from "../kernel/error.ts";
import { newId } from "../kernel/id.ts";
import type { Page, PageQuery } from "../kernel/page.ts";

export const USER_STATUSES = ["active", "disabled"] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** `admin` (its tenant), `reviewer`, `auditor` (reads), `platform_admin` (tenants too). */
export const SYSTEM_ROLES = ["admin", "reviewer", "auditor", "platform_admin"] as const;
export type SystemRole = (typeof SYSTEM_ROLES)[number];

export interface User {
	readonly id: string;
	readonly tenantId: string;
	readonly username: string;
	/** Lower case, ASCII, at most 254 characters. */
	readonly email: string;
	readonly emailVerified: boolean;
	/** At most 100 characters, `""` when unset. */
	readonly displayName: string;
	readonly avatarUrl: string;
	readonly status: UserStatus;
	readonly roles: readonly SystemRole[];
	/** Whether a second factor is enrolled; changed with the factors only. */
	readonly mfaEnabled: boolean;
	readonly lastLoginAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export const USERNAME_MAX = 64;
export const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/;
export const DISPLAY_NAME_MAX = 100;
/** RFC 2606: receives no mail. */
const NO_ADDRESS_DOMAIN = "no-address.invalid";

/** The address of an account whose person has none. */
export function placeholderAddress(userId: string): string {
	return `${userId}@${NO_ADDRESS_DOMAIN}`;
}

/** Usernames with the same key are equal: they are unique without regard to case. */
export function usernameKey(username: string): string {
	return username.toLowerCase();
}

/** In the order of `SYSTEM_ROLES`, each once: the stored form. */
export function sortRoles(roles: readonly SystemRole[]): SystemRole[] {
	return SYSTEM_ROLES.filter((role) => roles.includes(role));
}

/** Every tenant keeps at least one active `admin`. */
export function isActiveAdmin(user: Pick<User, "status" | "roles">): boolean {
	return user.status === "active" && user.roles.includes("admin");
}

/**
 * An admin who can set the password, address or sign-in of a user can act as that user, so only platform admins manage
 * platform admins.
 *
 * @throws AppError `role.required`.
 */
export function checkManages(actor: User, target: User): void {
	if (target.roles.includes("platform_admin")) checkPlatformAdmin(actor);
}

/** @throws AppError `role.required`. */
export function checkPlatformAdmin(actor: User): void {
	if (!actor.roles.includes("platform_admin"))
		throw new AppError("role.required", "this needs the role platform_admin");
}

/** The same for another tenant's user as for none. */
export function userNotFound(): AppError {
	return new AppError("user.not_found", "no such user");
}

/** Contract section 4: a tenant is never left without an active admin. */
export function lastAdminError(): AppError {
	return new AppError(
		"user.last_admin",
		"this is the last active admin of the tenant: make another user admin first",
	);
}

/** The error for a refusal by a unique index. */
export function takenError(taken: "username" | "email"): AppError {
	return taken === "username"
		? new AppError("username.taken", "username is taken")
		: new AppError("email.taken", "email is taken");
}

/** The hash of an account without a password: no password verifies against it, after the same work. */
export const NO_PASSWORD = "";

export interface NewUser extends User {
	/** bcrypt, or `NO_PASSWORD`. */
	readonly passwordHash: string;
}

type NewUserFields = Pick<User, "tenantId" | "username" | "email"> & {
	readonly [Field in keyof User]?: User[Field] | undefined;
};

/** A new account. Defaults: a new id, active, no roles, an unverified address, created now. */
export function newUser(fields: NewUserFields, nowMs: number): User {
	return {
		id: fields.id ?? newId(nowMs),
		tenantId: fields.tenantId,
		username: fields.username,
		email: fields.email,
		emailVerified: fields.emailVerified ?? false,
		displayName: fields.displayName ?? "",
		avatarUrl: fields.avatarUrl ?? "",
		status: fields.status ?? "active",
		roles: sortRoles(fields.roles ?? []),
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: fields.createdAtMs ?? nowMs,
		updatedAtMs: fields.updatedAtMs ?? nowMs,
	};
}

/** What an update may change; absent means unchanged. */
export interface UserChanges {
	readonly username?: string;
	readonly email?: string;
	readonly emailVerified?: boolean;
	readonly displayName?: string;
	readonly avatarUrl?: string;
	readonly status?: UserStatus;
	readonly roles?: readonly SystemRole[];
	readonly passwordHash?: string;
	readonly lastLoginAtMs?: number;
}

export interface UserQuery {
	readonly tenantId: string;
	/** Part of username, e-mail or display name, without regard to ASCII case. */
	readonly q?: string;
	readonly status?: UserStatus;
	readonly role?: SystemRole;
	/** The whole address, canonical. */
	readonly email?: string;
	/** The whole name, without regard to case. */
	readonly username?: string;
}

/** Which unique field was taken, or `undefined` when the row was written. */
export type Taken = "username" | "email" | undefined;

export interface UserStore {
	/** Unique indexes decide. */
	insert(user: NewUser): Promise<Taken>;
	findById(tenantId: string, id: string): Promise<User | undefined>;
	/** By username or e-mail (recognized by the `@`), without regard to case; with the password hash. */
	findByLogin(tenantId: string, login: string): Promise<NewUser | undefined>;
	/** With the password hash. */
	findWithPassword(tenantId: string, id: string): Promise<NewUser | undefined>;
	/** Active users with the role `reviewer` or `admin`, for the notice of a new access request. */
	listReviewers(tenantId: string): Promise<User[]>;
	list(query: UserQuery, page: PageQuery): Promise<Page<User>>;
	/** @returns the field that another user has; `"missing"` when there is no such user. */
	update(tenantId: string, id: string, changes: UserChanges, nowMs: number): Promise<Taken | "missing">;
	/**
	 * Replaces `fromHash` only, so that a password changed meanwhile is not overwritten.
	 * @returns false when the stored hash is a different one, or the user is gone.
	 */
	replacePassword(
		tenantId: string,
		id: string,
		fromHash: string,
		toHash: string,
		nowMs: number,
	): Promise<boolean>;
	/**
	 * Stores `toHash` (the same, or at a higher cost) if the account is active and its hash is `fromHash`; `updated_at`
	 * stays. @returns whether it was stored.
	 */
	confirmPassword(tenantId: string, id: string, fromHash: string, toHash: string): Promise<boolean>;
	/** Records the time of a sign-in; `updated_at` stays. @returns false when the account was disabled or removed meanwhile. */
	noteSignIn(tenantId: string, id: string, atMs: number): Promise<boolean>;
	remove(tenantId: string, id: string): Promise<boolean>;
	/** Whether the user can sign in: by password, passkey, or an account at an enabled provider. */
	hasWayIn(tenantId: string, id: string): Promise<boolean>;
	/** Inside a transaction: whether this is the user's verified address; it cannot change before the transaction ends. */
	holdVerifiedEmail(tenantId: string, id: string, email: string): Promise<boolean>;
	/**
	 * Active admins of the tenant other than `exceptUserId`. Inside a transaction it also takes the lock under which admins
	 * are removed, so that parallel requests cannot remove the last two.
	 */
	countOtherActiveAdmins(tenantId: string, exceptUserId: string): Promise<number>;
}
