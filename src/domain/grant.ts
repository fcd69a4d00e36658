// A grant: which user or group may use an application, with which roles.

import type { Page, PageQuery } from "../kernel/page.ts";

/** The user, or the group, that an application is granted to. */
export interface GrantSubject {
	readonly kind: "user" | "group";
	readonly id: string;
}

/** Allows a user, or every member of a group, to use an application with these roles. */
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

/** A grant that applies to a user: their own, or that of a group they are a member of. */
export interface HeldGrant extends Omit<Grant, "tenantId" | "subject"> {
	readonly appName: string;
	/** The group that holds it; null for the user's own. */
	readonly groupId: string | null;
	readonly groupName: string | null;
}

/** A grant with the names of its user or group. */
export interface NamedGrant extends Grant {
	/** Username, or the name of the group. */
	readonly subjectName: string;
	/** Of a user; `""` when unset, and for a group. */
	readonly displayName: string;
}

export interface GrantQuery {
	readonly tenantId: string;
	readonly appId: string;
	/** Part of username, display name, or the name of the group, ignoring ASCII case. */
	readonly q?: string;
	readonly kind?: GrantSubject["kind"];
}

/** Roles of one grant. */
export const GRANT_ROLES_MAX = 100;

export interface GrantStore {
	/**
	 * Call inside a transaction. Creates the grant, or replaces the roles of the existing one (which keeps its id and
	 * creation time): a unique index allows one row per subject and application. Ignores role ids of other
	 * applications. Locks the row, so that concurrent calls never mix their roles.
	 */
	put(grant: Omit<Grant, "roles">): Promise<{
		readonly outcome: "created" | "changed" | "unchanged";
		/** The roles before this call. */
		readonly previousRoleIds: readonly string[];
	}>;
	find(tenantId: string, appId: string, subject: GrantSubject): Promise<Grant | undefined>;
	/** Grants of users and groups, newest first. */
	list(query: GrantQuery, page: PageQuery): Promise<Page<NamedGrant>>;
	/** What a group may use, newest first. */
	listOfGroup(
		tenantId: string,
		groupId: string,
		page: PageQuery,
	): Promise<Page<Omit<HeldGrant, "groupId" | "groupName">>>;
	/** The user's own grants and those of their groups, newest first. */
	listHeld(tenantId: string, userId: string, page: PageQuery): Promise<Page<HeldGrant>>;
	/** Call inside a transaction. @returns the removed grant; undefined if there was none. */
	remove(tenantId: string, appId: string, subject: GrantSubject): Promise<Pick<Grant, "id"> | undefined>;
}
