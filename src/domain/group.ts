// A group of users.

import { AppError } from "../kernel/error.ts";
import { problem } from "../kernel/field-reason.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { GrantOrder } from "./grant.ts";
import type { ManagedBy } from "./tenant.ts";
import type { UserStatus } from "./user.ts";

export interface Group {
	readonly id: string;
	readonly tenantId: string;
	/** Unique within the tenant, ignoring case. */
	readonly name: string;
	readonly description: string;
	readonly managedBy: ManagedBy | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** Limits, in code points. */
export const GROUP_NAME_MAX = 100;
export const GROUP_DESCRIPTION_MAX = 500;

export type GroupChanges = Partial<Pick<Group, "name" | "description">>;

/** A member of a group, with the fields that a list of users shows. */
export interface GroupMember {
	readonly userId: string;
	readonly username: string;
	readonly displayName: string;
	readonly email: string;
	readonly status: UserStatus;
	readonly addedAtMs: number;
	/** Null for no end. From this moment on, the membership counts as absent. */
	readonly expiresAtMs: number | null;
}

/** A group that a user is a member of. */
export interface UserGroup
	extends Pick<Group, "name" | "description">,
		Pick<GroupMember, "addedAtMs" | "expiresAtMs"> {
	readonly groupId: string;
}

export interface GroupQuery {
	readonly tenantId: string;
	/** Part of name or description, ignoring case and accents. */
	readonly q?: string;
}

/** Counts stop at `USAGE_COUNT_MAX`. */
export interface GroupUsage {
	readonly members: number;
	/** Those with a grant to the group. */
	readonly applications: number;
}

export interface RemovedWithGroup {
	readonly members: number;
	readonly grants: number;
}

/** Names with the same key are duplicates. */
export function groupNameKey(name: string): string {
	return name.normalize("NFKC").toLowerCase();
}

/** Also used for a group of another tenant. */
export function groupNotFound(): AppError {
	return new AppError("group.not_found", "no such group");
}

export function groupNameTaken(name: string): AppError {
	return new AppError("group.name_taken", `there is already a group named ${name}`, {
		fields: [{ field: "name", ...problem("used_by_group") }],
	});
}

/** A membership that is over. */
export interface EndedMember {
	readonly tenantId: string;
	readonly groupId: string;
	readonly userId: string;
	readonly expiresAtMs: number;
}

export interface MemberToPut {
	readonly tenantId: string;
	readonly groupId: string;
	readonly userId: string;
	readonly expiresAtMs?: number | null | undefined;
	readonly addedAtMs: number;
}

/** Memberships that are over count as absent. */
export interface GroupStore {
	/** @returns false when the name is taken. */
	insert(group: Group): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<Group | undefined>;
	list(query: GroupQuery, page: PageQuery): Promise<Page<Group>>;
	/** By group. */
	listUsage(tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, GroupUsage>>;
	update(
		tenantId: string,
		id: string,
		changes: GroupChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "name_taken">;
	/** Also deletes its memberships and grants. @returns the counts; undefined if there is no such group. */
	remove(tenantId: string, id: string): Promise<RemovedWithGroup | undefined>;
	/**
	 * Call inside a transaction, after checking that both belong to the tenant. An end that is undefined stays as it is; a
	 * membership that is over is replaced by a new one.
	 */
	putMember(member: MemberToPut): Promise<{
		readonly outcome: "created" | "changed" | "unchanged";
		readonly member: Pick<GroupMember, "addedAtMs" | "expiresAtMs">;
		/** The end before the change; null for a new membership. */
		readonly previousEndMs: number | null;
		/** The membership that was over, if the new one replaced one. */
		readonly replaced?: EndedMember;
	}>;
	/** Like `GrantStore.takeEnded`. */
	takeEnded(nowMs: number, limit: number): Promise<EndedMember[]>;
	/** @returns false if the user is not a member. */
	removeMember(tenantId: string, groupId: string, userId: string): Promise<boolean>;
	/** Most recently added first by default. */
	listMembers(
		tenantId: string,
		groupId: string,
		page: PageQuery,
		sort?: GrantOrder,
	): Promise<Page<GroupMember>>;
	/** Groups of a user, the most recently joined first by default. */
	listOfUser(tenantId: string, userId: string, page: PageQuery, sort?: GrantOrder): Promise<Page<UserGroup>>;
}
