// `/applications/{id}/roles`: the sets of permissions an application defines.

import { data, empty, endpoint, page } from "../../http/endpoint.ts";
import { list, object, optional, text } from "../../http/schema.ts";
import type { SignedIn } from "../auth/model.ts";
import { applicationRoleSchema, toWireRole } from "./application-wire.ts";
import { type CreateRoleDeps, createRole } from "./create-role.ts";
import { type DeleteRoleDeps, deleteRole } from "./delete-role.ts";
import {
	adminContext,
	applicationNotFound,
	PERMISSION,
	PERMISSION_MAX,
	PERMISSIONS_MAX,
	ROLE_DESCRIPTION_MAX,
	ROLE_NAME,
	ROLE_NAME_MAX,
} from "./model.ts";
import { type UpdateRoleDeps, updateRole } from "./update-role.ts";

export type RolesDeps = CreateRoleDeps & UpdateRoleDeps & DeleteRoleDeps;

const name = text({
	max: ROLE_NAME_MAX,
	pattern: ROLE_NAME.source,
	description: "Unique within the application, case counts, and not a UUID.",
});
const otherFields = {
	description: optional(text({ min: 0, max: ROLE_DESCRIPTION_MAX })),
	permissions: optional(
		list(text({ max: PERMISSION_MAX, pattern: PERMISSION.source }), {
			max: PERMISSIONS_MAX,
			description:
				"`orders:*` stands for everything that begins with `orders:`, `*` for everything; none twice.",
			examples: [["orders:read", "invoices:*"]],
		}),
	),
};
const createBody = object({ name, ...otherFields });
const patchBody = object({ name: optional(name), ...otherFields });

const ofApplication = { id: "application.not_found" } as const;
const ofRole = { id: "application.not_found", role_id: "application_role.not_found" } as const;

export function rolesEndpoints(deps: RolesDeps) {
	const { applications, applicationRoles } = deps.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listApplicationRoles",
			summary: "List the roles of an application",
			ids: ofApplication,
			answer: page(applicationRoleSchema, "Roles, newest first."),
			async handle({ caller: { tenantId }, ids: { id }, page: asked }) {
				const appId = id as string;
				if ((await applications.findById(tenantId, appId)) === undefined) throw applicationNotFound();
				const roles = await applicationRoles.list(tenantId, appId, asked);
				return { items: roles.items.map(toWireRole), total: roles.total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createApplicationRole",
			summary: "Define a role of an application",
			ids: ofApplication,
			body: createBody,
			answer: data(201, applicationRoleSchema, "The new role."),
			errors: ["application_role.name_taken"],
			async handle({ caller, ids: { id }, body, request }) {
				const { name, description = "", permissions = [] } = body;
				const context = adminContext(caller, request);
				return toWireRole(await createRole(deps, id as string, { name, description, permissions }, context));
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateApplicationRole",
			summary: "Change a role of an application",
			description:
				"Fields that are absent stay; `permissions` is replaced whole, and counts at once for everybody who holds the role.",
			ids: ofRole,
			body: patchBody,
			answer: data(200, applicationRoleSchema, "The role as it is now."),
			errors: ["application_role.name_taken"],
			async handle({ caller, ids, body, request }) {
				const { name, description, permissions } = body;
				const place = { appId: ids.id as string, roleId: ids.role_id as string };
				const context = adminContext(caller, request);
				return toWireRole(await updateRole(deps, place, { name, description, permissions }, context));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteApplicationRole",
			summary: "Delete a role of an application",
			description: "Grants that gave the role stand on without it.",
			ids: ofRole,
			answer: empty(204, "The role is gone."),
			handle({ caller, ids, request }) {
				const place = { appId: ids.id as string, roleId: ids.role_id as string };
				return deleteRole(deps, place, adminContext(caller, request));
			},
		}),
	};
}
