// A group of users: applications are granted to it, and with them to everybody in it.

import { AppError } from "../../kernel/error.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";
import type { UserStatus } from "../users/model.ts";

export interface Group {
	readonly id: string;
	readonly tenantId: string;
	/** Unique within the tenant without regard to case. */
	readonly name: string;
	readonly description: string;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** Limits, in code points. */
export const GROUP_NAME_MAX = 100;
export const GROUP_DESCRIPTION_MAX = 500;

export type GroupChanges = Partial<Pick<Group, "name" | "description">>;

/** A user in a group, with what a list of people shows. */
export interface GroupMember {
	readonly userId: string;
	readonly username: string;
	readonly displayName: string;
	readonly email: string;
	readonly status: UserStatus;
	readonly addedAtMs: number;
}

export interface GroupQuery {
	readonly tenantId: string;
	/** Part of name or description, without regard to ASCII case. */
	readonly q?: string;
}

export interface RemovedWithGroup {
	readonly members: number;
	readonly grants: number;
}

/** What makes two names the same. */
export function groupNameKey(name: string): string {
	return name.normalize("NFKC").toLowerCase();
}

/** The same for another tenant's group as for none. */
export function groupNotFound(): AppError {
	return new AppError("group.not_found", "no such group");
}

export function groupNameTaken(name: string): AppError {
	return new AppError("group.name_taken", `there is a group named ${name} already`, {
		fields: [{ field: "name", message: "is taken by another group" }],
	});
}

export interface GroupStore {
	/** @returns false when the name is taken. */
	insert(group: Group): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<Group | undefined>;
	list(query: GroupQuery, page: PageQuery): Promise<Page<Group>>;
	update(
		tenantId: string,
		id: string,
		changes: GroupChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "name_taken">;
	/** Members stay as users; grants to the group go with it. @returns how many of each, undefined when there is no such group. */
	remove(tenantId: string, id: string): Promise<RemovedWithGroup | undefined>;
	/** Both must be the tenant's: checked by the caller, in the same transaction. @returns false when the user is in it already. */
	addMember(tenantId: string, groupId: string, userId: string, nowMs: number): Promise<boolean>;
	/** @returns false when the user is not in it. */
	removeMember(tenantId: string, groupId: string, userId: string): Promise<boolean>;
	/** Latest first. */
	listMembers(tenantId: string, groupId: string, page: PageQuery): Promise<Page<GroupMember>>;
}
