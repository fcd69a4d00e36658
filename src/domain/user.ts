// A user: fields, states, limits, and the store.

import { DAY_MS } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { Administrator } from "./caller.ts";
import type { Locale } from "./locale.ts";
import { checkManages, type SystemRole } from "./system-role.ts";

/** `invited`: created without a password; becomes active when the user accepts the mailed invitation. */
export const USER_STATUSES = ["active", "disabled", "invited"] as const;
export type UserStatus = (typeof USER_STATUSES)[number];
/** Why the service disabled an account or an API client. */
export const DISABLED_REASONS = ["dormant"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];
/** So many days after it was disabled as dormant, a user can still enable the account with a new password. */
const DORMANCY_UNDO_DAYS = 30;

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
	/** Null unless the service disabled the account. */
	readonly disabledReason: DisabledReason | null;
	/** When it did. */
	readonly disabledAtMs: number | null;
	readonly roles: readonly SystemRole[];
	/** The language of mails; null means the language of the request that triggers the mail. */
	readonly locale: Locale | null;
	/** Whether a second factor is enrolled; changes only with the factors. */
	readonly mfaEnabled: boolean;
	readonly lastLoginAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** Members of a group who are mailed about one request. */
export const MAILED_MEMBERS_MAX = 40;
export const USERNAME_MAX = 64;
export const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/;
export const DISPLAY_NAME_MAX = 100;
/** RFC 2606: receives no mail. */
const NO_ADDRESS_DOMAIN = "no-address.invalid";

/** The address of an account without one. */
export function placeholderAddress(userId: string): string {
	return `${userId}@${NO_ADDRESS_DOMAIN}`;
}

export function isPlaceholderAddress(email: string): boolean {
	return email.endsWith(`@${NO_ADDRESS_DOMAIN}`);
}

/** Usernames with the same key are equal: uniqueness is case-insensitive. */
export function usernameKey(username: string): string {
	return username.toLowerCase();
}

/** The same error for an unknown user and a user of another tenant. */
export function userNotFound(): AppError {
	return new AppError("user.not_found", "no such user");
}

/** Loads a user of a tenant. @throws AppError `user.not_found`. */
export async function getUser(users: UserStore, tenantId: string, id: string): Promise<User> {
	const user = await users.findById(tenantId, id);
	if (user === undefined) throw userNotFound();
	return user;
}

/** A user of the caller's tenant whom the caller may manage. @throws AppError `user.not_found`, `role.required`. */
export async function getManaged(users: UserStore, id: string, caller: Administrator): Promise<User> {
	const user = await getUser(users, caller.tenantId, id);
	checkManages(caller, user);
	return user;
}

/** Whether a mailed link may set a new password. It also enables an account that was disabled as dormant. */
export function mayResetPassword({ status, disabledReason, disabledAtMs }: User, nowMs: number): boolean {
	if (status === "active") return true;
	return (
		status === "disabled" &&
		disabledReason === "dormant" &&
		nowMs < (disabledAtMs ?? 0) + DORMANCY_UNDO_DAYS * DAY_MS
	);
}

/** The error for a write that a unique index refused, or that found no row. */
export function writeError(refusal: "username" | "email" | "missing"): AppError {
	if (refusal === "missing") return userNotFound();
	return refusal === "username"
		? new AppError("username.taken", "username is taken")
		: new AppError("email.taken", "email is taken");
}

/** The hash of an account without a password: no password matches it, and verification takes the same time. */
export const NO_PASSWORD = "";

export interface NewUser extends User {
	/** bcrypt, a PHC string of another system until its first sign-in, or `NO_PASSWORD`. */
	readonly passwordHash: string;
}

/** What an update may change; absent means unchanged. A change of the status also ends `disabledReason`. */
export type UserChanges = Partial<
	Omit<
		NewUser,
		"id" | "tenantId" | "mfaEnabled" | "lastLoginAtMs" | "disabledAtMs" | "createdAtMs" | "updatedAtMs"
	>
>;

/**
 * `-` sorts in descending order. `name` is the display name, or the username if there is none. `last_login_at` lists
 * users who never signed in first.
 */
export const USER_ORDERS = [
	"newest",
	"oldest",
	"name",
	"-name",
	"username",
	"-username",
	"last_login_at",
	"-last_login_at",
] as const;
export type UserOrder = (typeof USER_ORDERS)[number];

export interface UserQuery {
	readonly tenantId: string;
	/** Part of username, email, or display name, ignoring case and accents. */
	readonly q?: string;
	readonly status?: UserStatus;
	readonly role?: SystemRole;
	/** The whole address, canonical. */
	readonly email?: string;
	/** The whole name, ignoring case. */
	readonly username?: string;
	/** Only users whose last sign-in, or else creation, was before this time. */
	readonly inactiveSinceMs?: number | undefined;
	/** True selects only users who are locked after `FAILURES_BEFORE_LOCK` failures, false only the others. */
	readonly isLocked?: boolean | undefined;
	/** Default: newest. */
	readonly sort?: UserOrder;
}

/** The unique field that was taken, or `undefined` when the row was written. */
export type Taken = "username" | "email" | undefined;

export interface UserStore {
	/** Unique indexes decide. */
	insert(user: NewUser): Promise<Taken>;
	/** Like `insert`, for many at once, inside a transaction. @returns the ids of the inserted ones; `insert` says why another was refused. */
	insertAll(users: readonly NewUser[]): Promise<Set<string>>;
	findById(tenantId: string, id: string): Promise<User | undefined>;
	/** By username or email (recognized by the `@`), ignoring case; with the password hash. */
	findByLogin(tenantId: string, login: string): Promise<NewUser | undefined>;
	/** With the password hash. */
	findWithPassword(tenantId: string, id: string): Promise<NewUser | undefined>;
	/** Active users with the role `reviewer` or `admin`, for the notice of a new access request. */
	listReviewers(tenantId: string): Promise<User[]>;
	/** Active members of a group, at most `MAILED_MEMBERS_MAX`. */
	listActiveMembers(tenantId: string, groupId: string, nowMs: number): Promise<User[]>;
	list(query: UserQuery, page: PageQuery): Promise<Page<User>>;
	/** @returns the field that another user already has, or `"missing"` if there is no such user. */
	update(tenantId: string, id: string, changes: UserChanges, nowMs: number): Promise<Taken | "missing">;
	/**
	 * Replaces the hash only if it is still `fromHash`, so that a concurrent password change is not overwritten.
	 * @returns false if the stored hash differs or the user was deleted.
	 */
	replacePassword(
		tenantId: string,
		id: string,
		fromHash: string,
		toHash: string,
		nowMs: number,
	): Promise<boolean>;
	/**
	 * Stores `toHash` (the same hash, or one with a higher cost) if the account is active and its hash is still
	 * `fromHash`. Leaves `updated_at` unchanged. @returns whether it was stored.
	 */
	confirmPassword(tenantId: string, id: string, fromHash: string, toHash: string): Promise<boolean>;
	/**
	 * Activates an invited user with this address and applies the changes. Only one of several concurrent calls succeeds.
	 * @returns the field that another user already has, or `"missing"` if the user is not (or no longer) invited or has
	 * another address.
	 */
	acceptInvitation(
		tenantId: string,
		id: string,
		email: string,
		changes: UserChanges,
		nowMs: number,
	): Promise<Taken | "missing">;
	/**
	 * Records the time of a sign-in. Leaves `updated_at` unchanged.
	 *
	 * @returns false if the account has since been disabled or removed.
	 */
	noteSignIn(tenantId: string, id: string, atMs: number): Promise<boolean>;
	/** Call inside a transaction. Locks the user until it ends. @returns false if there is no such user. */
	hold(tenantId: string, id: string): Promise<boolean>;
	remove(tenantId: string, id: string): Promise<boolean>;
	/** Whether the user can sign in: with a password, a passkey, or an account at an enabled provider. */
	canSignIn(tenantId: string, id: string): Promise<boolean>;
	/**
	 * Call inside a transaction. Whether this is the user's verified address, which then cannot change before it ends.
	 */
	holdVerifiedEmail(tenantId: string, id: string, email: string): Promise<boolean>;
	/**
	 * Counts the tenant's active admins, or platform admins, other than `exceptUserId`. Inside a transaction, it also takes the lock under
	 * which admins are removed, so that concurrent requests cannot remove the last two.
	 */
	countOtherActiveAdmins(
		tenantId: string,
		exceptUserId: string,
		role?: "admin" | "platform_admin",
	): Promise<number>;
}
