// An application people may use, the roles it defines, and who was granted them.

import { AppError } from "../../kernel/error.ts";
import type { Actor, Origin } from "../../kernel/origin.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";
import type { SignedIn } from "../auth/model.ts";

/** `open`: every active user of the tenant may use it; `assigned`: only those with a grant. */
export const ACCESS_POLICIES = ["open", "assigned"] as const;
export type AccessPolicy = (typeof ACCESS_POLICIES)[number];
export const APPLICATION_STATUSES = ["active", "disabled"] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];

export interface Application {
	readonly id: string;
	readonly tenantId: string;
	readonly name: string;
	/** `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters, unique within the tenant. */
	readonly slug: string;
	readonly description: string;
	readonly homepageUrl: string;
	readonly logoUrl: string;
	readonly redirectUris: readonly string[];
	readonly accessPolicy: AccessPolicy;
	readonly status: ApplicationStatus;
	/** Whether only a sign-in with a second factor opens or keeps a session of this application. */
	readonly requireMfa: boolean;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** `requireMfa` is false unless told. */
export type ApplicationToInsert = Omit<Application, "requireMfa"> & Partial<Pick<Application, "requireMfa">>;

/** What an update may touch; absent means unchanged. */
export type ApplicationChanges = Partial<
	Omit<Application, "id" | "tenantId" | "createdAtMs" | "updatedAtMs">
>;

/** A role of one application, a named set of permissions such as `orders:read`, `orders:*` or `*`. */
export interface ApplicationRole {
	readonly id: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly name: string;
	readonly description: string;
	readonly permissions: readonly string[];
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export type ApplicationRoleChanges = Partial<Pick<ApplicationRole, "name" | "description" | "permissions">>;

/** Whom an application is granted to: one user, or everybody in a group. */
export interface GrantSubject {
	readonly kind: "user" | "group";
	readonly id: string;
}

/** A user, or whoever is in a group, may use an application, with these roles. */
export interface Grant {
	readonly id: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly subject: GrantSubject;
	/** Names, sorted. */
	readonly roles: readonly string[];
	/** Their ids, in the order of the names. */
	readonly roleIds: readonly string[];
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** Limits: lengths in code points, lists in entries. */
export const APPLICATION_NAME_MAX = 200;
export const APPLICATION_DESCRIPTION_MAX = 2000;
export const SLUG_MAX = 64;
export const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const REDIRECT_URIS_MAX = 20;
export const REDIRECT_URI_MAX = 2048;
export const ROLE_NAME_MAX = 64;
export const ROLE_NAME = /^[A-Za-z][A-Za-z0-9._:-]{0,63}$/;
export const ROLE_DESCRIPTION_MAX = 500;
/** Roles one grant may give. */
export const GRANT_ROLES_MAX = 100;
export const PERMISSIONS_MAX = 200;
export const PERMISSION_MAX = 128;
export const PERMISSION = /^(?:\*|[A-Za-z0-9._-]+(?::[A-Za-z0-9._-]+)*(?::\*)?)$/;

/** `-` and eight hexadecimal digits out of the application's id. */
const SLUG_SUFFIX_LENGTH = 9;

/**
 * Slugs to try for an application whose slug nobody chose, best first: its name in ASCII letters and digits (`app`
 * when it has none), then the same with a piece of its id. Insert with the first; when it is taken, with the next.
 */
export function slugCandidates(name: string, id: string): readonly [string, string] {
	const words = name
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.match(/[a-z0-9]+/g);
	const slug = (words ?? ["app"])
		.join("-")
		.slice(0, SLUG_MAX - SLUG_SUFFIX_LENGTH)
		.replace(/-$/, "");
	return [slug, `${slug}-${id.slice(-8)}`];
}

/** Who changes something in which tenant, as use cases write it into the audit trail. */
export interface AdminContext {
	readonly tenantId: string;
	readonly actor: Actor;
	readonly origin: Origin;
}

export function adminContext({ tenantId, user }: SignedIn, origin: Origin): AdminContext {
	return { tenantId, actor: `user:${user.id}`, origin };
}

export function applicationNotFound(): AppError {
	return new AppError("application.not_found", "no such application");
}

export interface ApplicationQuery {
	readonly tenantId: string;
	/** Part of name or slug, without regard to ASCII case. */
	readonly q?: string;
	readonly status?: ApplicationStatus;
	/** Only what this user may use: active applications that are open, or granted to them or to a group they are in. */
	readonly usableBy?: string;
}

export interface RemovedWithApplication {
	readonly roles: number;
	readonly grants: number;
	readonly apiClients: number;
}

export interface ApplicationStore {
	/** @returns false when the slug is taken. */
	insert(application: ApplicationToInsert): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<Application | undefined>;
	list(query: ApplicationQuery, page: PageQuery): Promise<Page<Application>>;
	/** Whether an active application, this one if an id is given, has registered exactly this redirect address. */
	hasRedirectUri(tenantId: string, redirectUri: string, appId: string | null): Promise<boolean>;
	update(
		tenantId: string,
		id: string,
		changes: ApplicationChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "slug_taken">;
	/** Its roles, grants and API clients go with it. @returns how many of each, undefined when there is no such application. */
	remove(tenantId: string, id: string): Promise<RemovedWithApplication | undefined>;
}

export interface ApplicationRoleStore {
	/** @returns false when the application has a role of that name. */
	insert(role: ApplicationRole): Promise<boolean>;
	findById(tenantId: string, appId: string, id: string): Promise<ApplicationRole | undefined>;
	/** All roles of an application, by name: to turn names into ids. */
	listAll(tenantId: string, appId: string): Promise<ApplicationRole[]>;
	list(tenantId: string, appId: string, page: PageQuery): Promise<Page<ApplicationRole>>;
	update(
		tenantId: string,
		appId: string,
		id: string,
		changes: ApplicationRoleChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "name_taken">;
	/** Grants keep standing, without the role. */
	remove(tenantId: string, appId: string, id: string): Promise<boolean>;
}

export interface GrantStore {
	/**
	 * Makes the grant or replaces the roles of the one that stands (keeping its id and time of creation); one row a
	 * subject and application, decided by the index. Role ids that are not the application's are passed over. To be called in a
	 * transaction: it holds the row, so that of two at once the later one wins whole.
	 */
	put(grant: Omit<Grant, "roles">): Promise<"created" | "changed" | "unchanged">;
	find(tenantId: string, appId: string, subject: GrantSubject): Promise<Grant | undefined>;
	/** Grants to users and to groups together. */
	list(tenantId: string, appId: string, page: PageQuery): Promise<Page<Grant>>;
	/** To be called in a transaction. @returns what was removed, undefined when there was no such grant. */
	remove(tenantId: string, appId: string, subject: GrantSubject): Promise<Pick<Grant, "id"> | undefined>;
}
