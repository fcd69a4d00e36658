// A person with an account: fields, states, limits, and what is asked of the store.

import type { Page, PageQuery } from "../../kernel/page.ts";

export type UserStatus = "active" | "disabled";

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
	readonly mfaEnabled: boolean;
	readonly lastLoginAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/;
export const DISPLAY_NAME_MAX = 100;

/** What makes two usernames the same: names are unique without regard to case. */
export function usernameKey(username: string): string {
	return username.toLowerCase();
}

export interface NewUser extends User {
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
	remove(tenantId: string, id: string): Promise<boolean>;
	/**
	 * Active admins of the tenant other than `exceptUserId`. Inside a transaction it also takes the lock under
	 * which admins are removed, so that two requests cannot each remove "the other" last admin.
	 */
	countOtherActiveAdmins(tenantId: string, exceptUserId: string): Promise<number>;
}
