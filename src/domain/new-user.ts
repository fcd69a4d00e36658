// Builds the fields of a new account.

import { newId } from "../kernel/id.ts";
import { sortRoles } from "./system-role.ts";
import type { User } from "./user.ts";

export type NewUserFields = Pick<User, "tenantId" | "username" | "email"> & {
	readonly [Field in keyof User]?: User[Field] | undefined;
};

/** A new account. Defaults: a new id, active, no roles, no language, an unverified address, created now. */
export function newUser(fields: NewUserFields, nowMs: number): User {
	return {
		id: fields.id ?? newId(nowMs),
		tenantId: fields.tenantId,
		username: fields.username,
		email: fields.email,
		emailVerified: fields.emailVerified ?? false,
		displayName: fields.displayName ?? "",
		avatarUrl: fields.avatarUrl ?? "",
		status: fields.status ?? "active",
		disabledReason: null,
		disabledAtMs: null,
		roles: sortRoles(fields.roles ?? []),
		locale: fields.locale ?? null,
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: fields.createdAtMs ?? nowMs,
		updatedAtMs: nowMs,
	};
}
