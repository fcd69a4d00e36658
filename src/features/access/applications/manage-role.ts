// Creates, changes and deletes the roles of an application.

import {
	type ApplicationRole,
	type ApplicationRoleChanges,
	checkDescriptions,
	descriptionsOf,
	ROLES_MAX,
} from "../../../domain/application-role.ts";
import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { isOpenIdScope } from "../../../domain/oauth-scope.ts";
import { changeDetails, differences, fieldChanges, type Patch } from "../../../kernel/changes.ts";
import { AppError, found, invalidEntries, invalidField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { newId, parseId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { getApplication } from "./manage-application.ts";

interface RolePlace {
	readonly appId: string;
	readonly roleId: string;
}

/**
 * @throws AppError `request.invalid`, `application.not_found`, `application_role.name_taken`,
 * `application_role.too_many`.
 */
export async function createRole(
	{ db, clock }: Needs<"applications" | "applicationRoles" | "audit", "clock">,
	appId: string,
	fields: Pick<ApplicationRole, "name" | "description" | "permissions" | "permissionDescriptions">,
	caller: Caller,
): Promise<ApplicationRole> {
	checkFields(fields);
	checkPermissionNames(fields.permissions);
	checkDescriptions(fields.permissions, fields.permissionDescriptions);
	const now = clock();
	const { tenantId } = caller;
	const role = { ...fields, id: newId(now), tenantId, appId, createdAtMs: now, updatedAtMs: now };
	return db.transaction(async ({ applications, applicationRoles, audit }) => {
		await getApplication(applications, tenantId, appId);
		if ((await applicationRoles.countForInsert(tenantId, appId)) >= ROLES_MAX) throw tooManyRoles();
		if (!(await applicationRoles.insert(role))) throw roleNameTaken(role.name);
		const details = { app_id: appId, name: role.name, permissions: role.permissions };
		await audit.append(
			caller,
			"application_role.created",
			named("application_role", role.id, role.name),
			details,
		);
		return role;
	});
}

/**
 * Applies immediately to every user with the role. Writes nothing if the patch changes nothing.
 *
 * @throws AppError `request.invalid`, `application_role.not_found`, `application_role.name_taken`.
 */
export async function updateRole(
	{ db, clock }: Needs<"applicationRoles" | "audit", "clock">,
	{ appId, roleId }: RolePlace,
	patch: Patch<ApplicationRoleChanges>,
	caller: Caller,
): Promise<ApplicationRole> {
	checkFields(patch);
	const now = clock();
	const { tenantId } = caller;
	return db.transaction(async ({ applicationRoles, audit }) => {
		const before = found(await applicationRoles.findById(tenantId, appId, roleId), roleNotFound);
		checkPermissionNames(patch.permissions, before.permissions);
		const { permissions = before.permissions } = patch;
		const { permissionDescriptions = descriptionsOf(permissions, before.permissionDescriptions) } = patch;
		checkDescriptions(permissions, permissionDescriptions);
		const changes = differences<ApplicationRoleChanges>(before, { ...patch, permissionDescriptions });
		if (Object.keys(changes).length === 0) return before;
		const outcome = await applicationRoles.update(tenantId, appId, roleId, changes, now);
		if (outcome === "missing") throw roleNotFound();
		if (outcome === "name_taken") throw roleNameTaken(changes.name ?? before.name);
		await audit.append(
			caller,
			"application_role.updated",
			named("application_role", roleId, before.name),
			{
				app_id: appId,
				...changeDetails<Omit<ApplicationRoleChanges, "permissionDescriptions">>(changes, [
					"name",
					"permissions",
				]),
			},
			fieldChanges(before, changes, ["permissionDescriptions"]),
		);
		return { ...before, ...changes, updatedAtMs: now };
	});
}

/** Removes the role from every grant; the grants remain. @throws AppError `application_role.not_found`. */
export async function deleteRole(
	{ db }: Needs<"applicationRoles" | "audit">,
	{ appId, roleId }: RolePlace,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ applicationRoles, audit }) => {
		const { name } = found(await applicationRoles.findById(tenantId, appId, roleId), roleNotFound);
		if (!(await applicationRoles.remove(tenantId, appId, roleId))) throw roleNotFound();
		const details = { app_id: appId, name };
		await audit.append(caller, "application_role.deleted", named("application_role", roleId, name), details);
	});
}

/** Grants refer to roles by name or id, so a name must not be a UUID. @throws AppError `request.invalid`. */
function checkFields({ name, permissions = [] }: Patch<ApplicationRoleChanges>): void {
	if (name !== undefined && parseId(name) !== undefined) throw invalidField("name", "not_uuid");
	const repeated = permissions.flatMap((permission, index) =>
		permissions.indexOf(permission) < index ? [{ index, problem: problem("duplicate") }] : [],
	);
	if (repeated.length > 0) throw invalidEntries("permissions", repeated);
}

/**
 * A program requests permissions as scopes, so a new one must not have the name of an OpenID scope.
 *
 * @throws AppError `request.invalid`
 */
function checkPermissionNames(permissions: readonly string[] = [], before: readonly string[] = []): void {
	const problems = permissions.flatMap((permission, index) =>
		isOpenIdScope(permission) && !before.includes(permission)
			? [{ index, problem: problem("openid_scope") }]
			: [],
	);
	if (problems.length > 0) throw invalidEntries("permissions", problems);
}

function roleNotFound(): AppError {
	return new AppError("application_role.not_found", "this application has no such role");
}

function roleNameTaken(name: string): AppError {
	return new AppError("application_role.name_taken", `the application already has a role named ${name}`, {
		fields: [{ field: "name", ...problem("used_by_role") }],
	});
}

function tooManyRoles(): AppError {
	return new AppError("application_role.too_many", `an application has at most ${ROLES_MAX} roles`);
}
