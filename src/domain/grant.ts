// A grant: which user or group may use an application, with which roles.

import type { Page, PageQuery } from "../kernel/page.ts";
import type { AuditDetails } from "./audit.ts";

/** `program`: an application whose OAuth client acts for itself. */
export const GRANT_KINDS = ["user", "group", "api_client", "program"] as const;

/** To whom an application is granted. */
export interface GrantSubject {
	readonly kind: (typeof GRANT_KINDS)[number];
	readonly id: string;
}

/** Allows a user, every member of a group, an API client, or a program to use an application with these roles. */
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

/** A grant with the name of its subject. */
export interface NamedGrant extends Grant {
	/** Username, or the name of the group, the API client, or the application. */
	readonly subjectName: string;
	/** Of a user; `""` when unset, and for other subjects. */
	readonly displayName: string;
}

export interface GrantQuery {
	readonly tenantId: string;
	readonly appId: string;
	/** Part of username, display name, or the name of another subject, ignoring case and accents. */
	readonly q?: string;
	readonly kind?: GrantSubject["kind"];
}

/**
 * The details of the event of a new or changed grant. They contain role ids: past decisions are reconstructed from these
 * events, and names may change.
 */
export function grantDetails({ id, appId, roles, roleIds }: Grant, appName: string): AuditDetails {
	return { app_id: appId, app_name: appName, grant_id: id, roles, role_ids: roleIds };
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
		readonly previousRoleIds: readonly string[];
	}>;
	find(tenantId: string, appId: string, subject: GrantSubject): Promise<Grant | undefined>;
	/** Grants of every kind of subject, newest first. */
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
