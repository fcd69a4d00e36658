// A person with an account: fields, states, limits, and what is asked of the store.

import { AppError } from "../../kernel/error.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";

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

export const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/;
export const DISPLAY_NAME_MAX = 100;
/** RFC 2606: no mail ever arrives there. */
const NO_ADDRESS_DOMAIN = "no-address.invalid";

/** An account needs an address, and some have none: this one is nobody's, and says so. */
export function placeholderAddress(userId: string): string {
	return `${userId}@${NO_ADDRESS_DOMAIN}`;
}

/** What makes two usernames the same: names are unique without regard to case. */
export function usernameKey(username: string): string {
	return username.toLowerCase();
}

/** System roles in the order of `SYSTEM_ROLES`, each once: what is stored and shown. */
export function sortRoles(roles: readonly SystemRole[]): SystemRole[] {
	return SYSTEM_ROLES.filter((role) => roles.includes(role));
}

/** Whether this user keeps the tenant manageable: an active `admin`. */
export function isActiveAdmin(user: Pick<User, "status" | "roles">): boolean {
	return user.status === "active" && user.roles.includes("admin");
}

/**
 * Whoever can set a person's password, address or sign-in can become that person: so a platform admin is managed by
 * platform admins only.
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
		"this is the last active admin of the tenant: make somebody else admin first",
	);
}

/** What a unique index refused, in the caller's words. */
export function takenError(taken: "username" | "email"): AppError {
	return taken === "username"
		? new AppError("username.taken", "username is taken")
		: new AppError("email.taken", "email is taken");
}

/** The hash of an account without a password: none verifies against it, after the same work as any other. */
export const NO_PASSWORD = "";

export interface NewUser extends User {
	/** bcrypt, or `NO_PASSWORD`. */
	readonly passwordHash: string;
}

/** What an update may touch; absent means unchanged. */
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
}

/** Which unique field was taken, or `undefined` when the row was written. */
export type Taken = "username" | "email" | undefined;

export interface UserStore {
	/** Decided by the unique indexes, never by a prior read. */
	insert(user: NewUser): Promise<Taken>;
	findById(tenantId: string, id: string): Promise<User | undefined>;
	/** By username or e-mail (told apart by the `@`), without regard to case; with the password hash. */
	findByLogin(tenantId: string, login: string): Promise<NewUser | undefined>;
	/** With the password hash, for a password change. */
	findWithPassword(tenantId: string, id: string): Promise<NewUser | undefined>;
	/** The users behind `reviewer` and `admin`: active ones, for the notice of a new access request. */
	listReviewers(tenantId: string): Promise<User[]>;
	list(query: UserQuery, page: PageQuery): Promise<Page<User>>;
	/** @returns the field already taken by somebody else; `"missing"` when no such user exists. */
	update(tenantId: string, id: string, changes: UserChanges, nowMs: number): Promise<Taken | "missing">;
	/**
	 * Puts a hash in the place of `fromHash`, and only of that one: a password changed meanwhile is never overwritten.
	 * @returns false when the stored hash is another by now (or the user is gone).
	 */
	replacePassword(
		tenantId: string,
		id: string,
		fromHash: string,
		toHash: string,
		nowMs: number,
	): Promise<boolean>;
	/**
	 * Whether the account is active and its hash still `fromHash`; then `toHash` takes its place (the same, or one of a
	 * higher cost). No change of the record: `updated_at` stays.
	 */
	confirmPassword(tenantId: string, id: string, fromHash: string, toHash: string): Promise<boolean>;
	/** Notes a sign-in, no change of the record either. @returns false when the account was disabled or removed meanwhile. */
	noteSignIn(tenantId: string, id: string, atMs: number): Promise<boolean>;
	remove(tenantId: string, id: string): Promise<boolean>;
	/** Whether anything is left to sign in with: a password, a passkey, an account at an enabled provider. */
	hasWayIn(tenantId: string, id: string): Promise<boolean>;
	/** Inside a transaction: whether this is the user's proved address, which it then stays until the end of it. */
	holdVerifiedEmail(tenantId: string, id: string, email: string): Promise<boolean>;
	/**
	 * Active admins of the tenant other than `exceptUserId`. Inside a transaction it also takes the lock under
	 * which admins are removed, so that two requests cannot each remove "the other" last admin.
	 */
	countOtherActiveAdmins(tenantId: string, exceptUserId: string): Promise<number>;
}
