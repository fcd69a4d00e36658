// A role of an application: a named set of permissions.

import { type InvalidEntry, invalidEntries } from "../kernel/error.ts";
import { problem } from "../kernel/field-reason.ts";
import { parseId } from "../kernel/id.ts";
import type { Page, PageQuery } from "../kernel/page.ts";

/** What a permission allows, in words for users whose consent to it a program requests. */
export interface PermissionDescription {
	readonly permission: string;
	readonly en: string;
	readonly zh: string;
}

/** A role of one application, a named set of permissions such as `orders:read`, `orders:*` or `*`. */
export interface ApplicationRole {
	readonly id: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly name: string;
	readonly description: string;
	readonly permissions: readonly string[];
	/** Of some of its permissions, each once. */
	readonly permissionDescriptions: readonly PermissionDescription[];
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export type ApplicationRoleChanges = Partial<
	Pick<ApplicationRole, "name" | "description" | "permissions" | "permissionDescriptions">
>;
export const ROLE_NAME_MAX = 64;
export const ROLE_NAME = /^[A-Za-z][A-Za-z0-9._:-]{0,63}$/;
export const ROLE_DESCRIPTION_MAX = 500;
/** Roles of one application; with `PERMISSIONS_MAX`, this bounds what one user can have in it. */
export const ROLES_MAX = 200;
export const PERMISSIONS_MAX = 200;
export const PERMISSION_MAX = 128;
/** In code points, in each language. */
export const PERMISSION_DESCRIPTION_MAX = 200;
export const PERMISSION = /^(?:\*|[A-Za-z0-9._-]+(?::[A-Za-z0-9._-]+)*(?::\*)?)$/;

export interface ApplicationRoleStore {
	/** Locks the application until the end of the transaction, so that concurrent inserts cannot exceed the limit. */
	countForInsert(tenantId: string, appId: string): Promise<number>;
	/** @returns false when the application already has a role with that name. */
	insert(role: ApplicationRole): Promise<boolean>;
	findById(tenantId: string, appId: string, id: string): Promise<ApplicationRole | undefined>;
	/** All roles of an application, ordered by name. */
	listAll(tenantId: string, appId: string): Promise<ApplicationRole[]>;
	list(tenantId: string, appId: string, page: PageQuery): Promise<Page<ApplicationRole>>;
	update(
		tenantId: string,
		appId: string,
		id: string,
		changes: ApplicationRoleChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "name_taken">;
	/** Grants of the role remain, without the role. */
	remove(tenantId: string, appId: string, id: string): Promise<boolean>;
}

/**
 * The ids of roles, each once.
 *
 * @param roles names or ids of defined roles
 * @throws AppError `request.invalid` (`roles.<index>` is no role).
 */
export function roleIdsOf(roles: readonly string[], defined: readonly ApplicationRole[]): string[] {
	const idOf = new Map(defined.flatMap(({ id, name }) => [id, name].map((key) => [key, id] as const)));
	const ids = new Set<string>();
	const problems: InvalidEntry[] = [];
	for (const [index, role] of roles.entries()) {
		const id = idOf.get(parseId(role) ?? role);
		if (id === undefined) problems.push({ index, problem: problem("not_a_role") });
		else ids.add(id);
	}
	if (problems.length > 0) throw invalidEntries("roles", problems);
	return [...ids];
}

/** What the roles of an application hold together, patterns included. */
export function heldByRoles(roles: readonly Pick<ApplicationRole, "permissions">[]): ReadonlySet<string> {
	return new Set(roles.flatMap(({ permissions }) => permissions));
}

/** The descriptions of permissions that remain in a role. */
export function descriptionsOf(
	permissions: readonly string[],
	descriptions: readonly PermissionDescription[],
): readonly PermissionDescription[] {
	return descriptions.filter(({ permission }) => permissions.includes(permission));
}

/** @throws AppError `request.invalid` for a description of another permission, or a second one. */
export function checkDescriptions(
	permissions: readonly string[],
	descriptions: readonly PermissionDescription[],
): void {
	const described = new Set<string>();
	const problems: InvalidEntry[] = [];
	for (const [index, { permission }] of descriptions.entries()) {
		if (!permissions.includes(permission)) problems.push({ index, problem: problem("not_a_permission") });
		else if (described.has(permission)) problems.push({ index, problem: problem("duplicate") });
		described.add(permission);
	}
	if (problems.length > 0) throw invalidEntries("permission_descriptions", problems);
}
