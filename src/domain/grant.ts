// A grant: which user or group may use an application, with which roles.

import { DAY_MS, MINUTE_MS } from "../kernel/clock.ts";
import { invalidField } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";

/** `program`: an application whose OAuth client acts for itself. */
export const GRANT_KINDS = ["user", "group", "api_client", "program"] as const;

/** To whom an application is granted. */
export interface GrantSubject {
	readonly kind: (typeof GRANT_KINDS)[number];
	readonly id: string;
}

/** Until when a grant lasts, and where it comes from. */
export interface GrantTerms {
	/** Null for no end. From this moment on, the grant counts as absent. */
	readonly expiresAtMs: number | null;
	/** `""` if none was given. */
	readonly reason: string;
	/** The request that it was created for; null if an administrator gave it. */
	readonly requestId: string | null;
}

/** Terms to set; undefined ones stay as they are. */
export type Terms = { readonly [Term in keyof GrantTerms]?: GrantTerms[Term] | undefined };

/** Allows a user, every member of a group, an API client, or a program to use an application with these roles. */
export interface Grant extends GrantTerms {
	readonly id: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly subject: GrantSubject;
	/** Names, sorted. */
	readonly roles: readonly string[];
	/** Their ids, in the order of the names. */
	readonly roleIds: readonly string[];
	/** The user who created it; null if none did, such as an admin key. */
	readonly grantedBy: string | null;
	/** The first use of the last day (UTC) on which it was used; null if it never was. Of a group: by any member. */
	readonly lastUsedAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** A grant that applies to a user: their own, or that of a group they are a member of. */
export interface HeldGrant extends Omit<Grant, "tenantId" | "subject"> {
	readonly appName: string;
	/** The group that holds it; null for the user's own. Then `lastUsedAtMs` is the use by this member. */
	readonly groupId: string | null;
	readonly groupName: string | null;
}

/** A grant of a group, in the list of the group. */
export type GroupGrant = Omit<HeldGrant, "groupId" | "groupName">;

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
	readonly sort?: GrantOrder;
	/** Only grants that end before this time. */
	readonly expiresBeforeMs?: number;
	/** Only grants that were neither used nor created since. */
	readonly unusedSinceMs?: number;
}

/** `expires_at`: what ends first, then what has no end, the newest first. Exports are always `newest`. */
export const GRANT_ORDERS = ["newest", "expires_at"] as const;
export type GrantOrder = (typeof GRANT_ORDERS)[number];

/** A grant or a membership lasts at least this long … */
const LIFE_MIN_MS = MINUTE_MS;
/** … and at most so many days: five years. */
export const LIFE_MAX_DAYS = 1_827;
/** Characters of a reason. */
export const GRANT_REASON_MAX = 500;
/** Roles of one grant. */
export const GRANT_ROLES_MAX = 100;

/** @throws AppError `request.invalid` (`expires_at`) unless the end is null, or one minute to five years ahead. */
export function checkEnd(expiresAtMs: number | null, nowMs: number): void {
	if (expiresAtMs === null) return;
	const lifeMs = expiresAtMs - nowMs;
	if (lifeMs < LIFE_MIN_MS || lifeMs > LIFE_MAX_DAYS * DAY_MS)
		throw invalidField("expires_at", "minute_to_days", { days: LIFE_MAX_DAYS });
}

/** A grant as `GrantStore.put` takes it. */
export type GrantToPut = Omit<Grant, "roles" | "lastUsedAtMs" | keyof GrantTerms> & Terms;

/** A sign-in, a token, or a decision that used access to an application. Members use the grants of their groups. */
export interface GrantUse {
	readonly tenantId: string;
	/** Null for this service. */
	readonly appId: string | null;
	readonly subject: { readonly kind: Exclude<GrantSubject["kind"], "group">; readonly id: string };
	readonly atMs: number;
}

/** A grant that is over. */
export type EndedGrant = Pick<Grant, "id" | "tenantId" | "appId" | "subject"> & {
	readonly expiresAtMs: number;
};

/** What `GrantStore.put` found: empty for a new grant. */
export interface PreviousGrant extends Pick<Grant, "roleIds" | "expiresAtMs" | "reason"> {
	readonly hasOtherRoles: boolean;
}

export interface GrantStore {
	/** The time with which ends are compared: after a clock was set back, the latest of the tenant. */
	now(tenantId: string): Promise<number>;
	/**
	 * Call inside a transaction. Creates the grant, or replaces the roles of the existing one (which keeps its id and
	 * creation time): a unique index allows one row per subject and application. Terms that are undefined stay as they
	 * are. A grant that is over is replaced by a new one. Ignores role ids of other applications. Locks the row, so that
	 * concurrent calls never mix their roles.
	 */
	put(grant: GrantToPut): Promise<{
		readonly outcome: "created" | "changed" | "unchanged";
		readonly previous: PreviousGrant;
		/** The grant that was over, if the new one replaced one. */
		readonly replaced?: EndedGrant;
	}>;
	/** Undefined for a grant that is over, as in all lists. */
	find(tenantId: string, appId: string, subject: GrantSubject): Promise<Grant | undefined>;
	/** Grants of every kind of subject. */
	list(query: GrantQuery, page: PageQuery): Promise<Page<NamedGrant>>;
	/** What a group may use, newest first by default. */
	listOfGroup(
		tenantId: string,
		groupId: string,
		page: PageQuery,
		sort?: GrantOrder,
	): Promise<Page<GroupGrant>>;
	/** The user's own grants and those of their groups, with the end of a membership that ends first. */
	listHeld(
		tenantId: string,
		userId: string,
		page: PageQuery,
		query?: Pick<GrantQuery, "sort" | "expiresBeforeMs">,
	): Promise<Page<HeldGrant>>;
	/**
	 * Call inside a transaction. Deletes up to `limit` grants that are over, without those that another transaction holds.
	 */
	takeEnded(nowMs: number, limit: number): Promise<EndedGrant[]>;
	/**
	 * Call inside a transaction. Stores the use of every grant by which the subject had access then, of the memberships of a
	 * user, and that the user was seen, at most once a day (UTC). Skips rows that another transaction holds: their use is noted again later.
	 */
	noteUses(uses: readonly GrantUse[]): Promise<void>;
	/** Call inside a transaction. @returns the removed grant of the user; `of_group` if a group of theirs holds it. */
	removeOwn(tenantId: string, userId: string, id: string): Promise<Grant | "of_group" | undefined>;
	/** Call inside a transaction. @returns the removed grant, as it was last; undefined if there was none. */
	remove(tenantId: string, appId: string, subject: GrantSubject): Promise<Grant | undefined>;
}
