// A user: fields, states, limits, and the store.

import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { Locale } from "./locale.ts";
import type { SystemRole } from "./system-role.ts";

/** `invited`: created without a password; becomes active when the user accepts the mailed invitation. */
export const USER_STATUSES = ["active", "disabled", "invited"] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

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
	/** The language of mails; null: that of the request that causes a mail. */
	readonly locale: Locale | null;
	/** Whether a second factor is enrolled; changes only with the factors. */
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

/** Identical for another tenant's user and an unknown one. */
export function userNotFound(): AppError {
	return new AppError("user.not_found", "no such user");
}

/** The user of a tenant. @throws AppError `user.not_found`. */
export async function getUser(users: UserStore, tenantId: string, id: string): Promise<User> {
	const user = await users.findById(tenantId, id);
	if (user === undefined) throw userNotFound();
	return user;
}

/** The error for a write that a unique index refused, or that found no row. */
export function writeError(refusal: "username" | "email" | "missing"): AppError {
	if (refusal === "missing") return userNotFound();
	return refusal === "username"
		? new AppError("username.taken", "username is taken")
		: new AppError("email.taken", "email is taken");
}

/** The hash of an account without a password: verification does the same work, and no password matches. */
export const NO_PASSWORD = "";

export interface NewUser extends User {
	/** bcrypt, a PHC string of another system until its first sign-in, or `NO_PASSWORD`. */
	readonly passwordHash: string;
}

/** What an update may change; absent means unchanged. */
export type UserChanges = Partial<
	Pick<
		NewUser,
		| "username"
		| "email"
		| "emailVerified"
		| "displayName"
		| "avatarUrl"
		| "status"
		| "roles"
		| "locale"
		| "passwordHash"
	>
>;

/**
 * `-` begins with the last; `name` is the display name, or the username without one; `last_login_at` begins with who
 * never signed in.
 */
export const USER_ORDERS = [
	"newest",
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
	/** Part of username, email, or display name, ignoring ASCII case. */
	readonly q?: string;
	readonly status?: UserStatus;
	readonly role?: SystemRole;
	/** The whole address, canonical. */
	readonly email?: string;
	/** The whole name, ignoring case. */
	readonly username?: string;
	/** Only users whose last sign-in, or else creation, was before this time. */
	readonly inactiveSinceMs?: number | undefined;
	/** Only users whose password or codes are refused after `FAILURES_BEFORE_LOCK` failures, or only the others. */
	readonly isLocked?: boolean | undefined;
	/** Default: newest. */
	readonly sort?: UserOrder;
}

/** The unique field that was taken, or `undefined` when the row was written. */
export type Taken = "username" | "email" | undefined;

export interface UserStore {
	/** Unique indexes decide. */
	insert(user: NewUser): Promise<Taken>;
	findById(tenantId: string, id: string): Promise<User | undefined>;
	/** By username or email (recognized by the `@`), ignoring case; with the password hash. */
	findByLogin(tenantId: string, login: string): Promise<NewUser | undefined>;
	/** With the password hash. */
	findWithPassword(tenantId: string, id: string): Promise<NewUser | undefined>;
	/** Active users with the role `reviewer` or `admin`, for the notice of a new access request. */
	listReviewers(tenantId: string): Promise<User[]>;
	list(query: UserQuery, page: PageQuery): Promise<Page<User>>;
	/** @returns the field that another user has; `"missing"` when there is no such user. */
	update(tenantId: string, id: string, changes: UserChanges, nowMs: number): Promise<Taken | "missing">;
	/**
	 * Replaces only `fromHash`, so that a password changed meanwhile is not overwritten.
	 * @returns false when the stored hash differs, or the user was deleted.
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
	 * is unchanged. @returns whether it was stored.
	 */
	confirmPassword(tenantId: string, id: string, fromHash: string, toHash: string): Promise<boolean>;
	/**
	 * Makes an invited user with this address active, with the changes. Of simultaneous calls one finds the user invited.
	 * @returns the field that another user has; `"missing"` when the user is not invited (any more) or has another
	 * address.
	 */
	acceptInvitation(
		tenantId: string,
		id: string,
		email: string,
		changes: UserChanges,
		nowMs: number,
	): Promise<Taken | "missing">;
	/**
	 * Records the time of a sign-in; `updated_at` stays.
	 *
	 * @returns false when the account was disabled or removed meanwhile.
	 */
	noteSignIn(tenantId: string, id: string, atMs: number): Promise<boolean>;
	/** Inside a transaction: prevents other changes to the user until its end. @returns false when there is none. */
	hold(tenantId: string, id: string): Promise<boolean>;
	remove(tenantId: string, id: string): Promise<boolean>;
	/** Whether the user can sign in: by password, passkey, or an account at an enabled provider. */
	hasWayIn(tenantId: string, id: string): Promise<boolean>;
	/**
	 * Inside a transaction: whether this is the user's verified address; it cannot change before the transaction ends.
	 */
	holdVerifiedEmail(tenantId: string, id: string, email: string): Promise<boolean>;
	/**
	 * Active admins of the tenant other than `exceptUserId`. Inside a transaction it also takes the lock under which
	 * admins are removed, so that parallel requests cannot remove the last two.
	 */
	countOtherActiveAdmins(tenantId: string, exceptUserId: string): Promise<number>;
}
