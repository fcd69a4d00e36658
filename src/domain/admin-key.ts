// An admin key: lets a client administer a tenant with some of the roles of the person who created it.

import { DAY_MS } from "../kernel/clock.ts";
import { CREDENTIAL_PREFIX } from "../kernel/credential-prefix.ts";
import { AppError, invalidField } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { Administrator } from "./caller.ts";
import { coversRole, type SystemRole } from "./system-role.ts";
import type { UserStatus } from "./user.ts";
import type { Workload } from "./workload.ts";

export const KEY_NAME_MAX = 100;
/** A year, including a leap year. */
export const KEY_LIFE_MAX_DAYS = 366;
/** Expired keys are listed for this long. */
export const EXPIRED_KEYS_KEPT_MS = 30 * DAY_MS;

export interface AdminKey {
	readonly id: string;
	readonly tenantId: string;
	readonly name: string;
	/** At least one, and none that its creator lacks. */
	readonly roles: readonly SystemRole[];
	/** Canonical text; empty allows any IP address. */
	readonly ipAllowlist: readonly string[];
	/** Whose tokens are sent with its id, instead of a key; empty for a key. */
	readonly workloads: readonly Workload[];
	readonly expiresAtMs: number;
	readonly lastUsedAtMs: number | null;
	/** `""` before the first use. */
	readonly lastUsedIp: string;
	/** The user whose roles it acts with; null for the operator of the machine, who has every role. */
	readonly createdBy: string | null;
	readonly createdAtMs: number;
}

/** What decides whether a creator lends roles; null for the operator of the machine, who keeps every role. */
export type KeyCreator = { readonly status: UserStatus; readonly roles: readonly SystemRole[] } | null;

/** A key and what decides whether its creator still lends it roles, read in one statement. */
export interface PresentedKey
	extends Pick<AdminKey, "id" | "tenantId" | "name" | "roles" | "ipAllowlist" | "workloads" | "expiresAtMs"> {
	readonly creator: KeyCreator;
}

/** The caller behind a valid admin key. It has no account: `userId` is null. */
export interface KeyCaller extends Administrator {
	readonly isKey: true;
	readonly userId: null;
}

export interface KeyUse {
	readonly id: string;
	readonly atMs: number;
	readonly ip: string;
}

/** Buffers the last use of each key, so that requests write nothing. */
export interface KeyUseRecorder {
	note(keyId: string, atMs: number, ip: string): void;
}

export interface AdminKeyStore {
	/** @param keyDigest see `tokenDigest`; the key itself is not stored. */
	insert(key: AdminKey & { readonly keyDigest: string }): Promise<void>;
	/** Searches all tenants: keys are unguessable. */
	findPresented(keyDigest: string): Promise<PresentedKey | undefined>;
	/** Searches all tenants for a key that workloads hold. */
	findHeld(id: string): Promise<PresentedKey | undefined>;
	/** Keys with workloads of the issuer: at most 5 names. */
	namesUsingIssuer(tenantId: string, issuerId: string): Promise<string[]>;
	/** Newest first. */
	list(tenantId: string, page: PageQuery): Promise<Page<AdminKey>>;
	/** All keys that a user created. */
	listOf(tenantId: string, userId: string): Promise<AdminKey[]>;
	/** @returns the removed key; undefined if there is none. */
	remove(tenantId: string, id: string): Promise<AdminKey | undefined>;
	/** Keeps a later use that another node has recorded. */
	noteUse(uses: readonly KeyUse[]): Promise<void>;
	/** Deletes keys that expired more than `EXPIRED_KEYS_KEPT_MS` before `nowMs`, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** Whether the creator still lends every role of a key: the operator, or an active user whose own roles cover them. */
export function isLent(roles: readonly SystemRole[], creator: KeyCreator): boolean {
	if (creator === null) return true;
	return creator.status === "active" && roles.every((role) => coversRole(creator.roles, role));
}

/**
 * The roles a key acts with. Never `platform_admin`, which would let it manage platform admins: as for people, that
 * role includes those of an admin.
 */
export function rolesOfKey(roles: readonly SystemRole[]): SystemRole[] {
	return [...new Set(roles.map((role) => (role === "platform_admin" ? "admin" : role)))];
}

/** @throws AppError `request.invalid` unless the time is in the future and at most a year away. */
export function checkKeyExpiry(expiresAtMs: number, nowMs: number): void {
	if (expiresAtMs > nowMs && expiresAtMs <= nowMs + KEY_LIFE_MAX_DAYS * DAY_MS) return;
	throw invalidField("expires_at", "future_days", { days: KEY_LIFE_MAX_DAYS });
}

/** Refuses an admin key where only a user may act. @throws AppError `admin_key.not_allowed`. */
export function checkIsPerson({ isKey }: Administrator, action: string): void {
	if (isKey) throw keyNotAllowed(action);
}

/**
 * Refuses an admin key that sets one of these fields of a user, by name on the wire; undefined ones are not set. With
 * any of them, a stolen key could become a person who administers the tenant.
 *
 * @throws AppError `admin_key.not_allowed`.
 */
export function checkUserFieldsOfKey(caller: Administrator, fields: Readonly<Record<string, unknown>>): void {
	for (const [name, value] of Object.entries(fields))
		if (value !== undefined) checkIsPerson(caller, `set ${name} of a user`);
}

export function keyNotAllowed(action: string): AppError {
	return new AppError("admin_key.not_allowed", `an admin key may not ${action}: sign in as a person`);
}

/** What the token of a workload is appended to. */
export function heldKey(id: string): string {
	return `${CREDENTIAL_PREFIX.adminKey}${id}.`;
}

export function adminKeyNotFound(): AppError {
	return new AppError("admin_key.not_found", "no such admin key");
}
