// A manager of an application or of a group: a user without a system role who decides about access there.

import type { Page, PageQuery } from "../kernel/page.ts";
import type { GroupMember } from "./group.ts";

export const MANAGED_KINDS = ["application", "group"] as const;
export type ManagedKind = (typeof MANAGED_KINDS)[number];

/** What a manager manages. */
export interface Managed {
	readonly kind: ManagedKind;
	readonly id: string;
}

/** A manager, with the fields that a list of users shows. */
export type Manager = Omit<GroupMember, "expiresAtMs">;

/** What a user manages. */
export interface ManagedByUser extends Managed {
	readonly name: string;
	readonly addedAtMs: number;
}

export interface ManagerToAdd extends Pick<Manager, "userId" | "addedAtMs"> {
	readonly id: string;
	readonly tenantId: string;
	readonly managed: Managed;
}

export interface ManagerStore {
	/** The guard reads this for users without a role. */
	manages(tenantId: string, userId: string, managed: Managed): Promise<boolean>;
	/** Call inside a transaction, after checking that both belong to the tenant. @returns false if the user is one already. */
	add(manager: ManagerToAdd): Promise<boolean>;
	/** @returns false if the user is no manager. */
	remove(tenantId: string, userId: string, managed: Managed): Promise<boolean>;
	/** Most recently added first. */
	list(tenantId: string, managed: Managed, page: PageQuery): Promise<Page<Manager>>;
	/** What a user manages, most recently added first. */
	listOfUser(tenantId: string, userId: string, page: PageQuery): Promise<Page<ManagedByUser>>;
}
