// `/applications/{id}/roles`: the roles that an application defines. A role is a set of permissions.

import {
	PERMISSION,
	PERMISSION_DESCRIPTION_MAX,
	PERMISSION_MAX,
	PERMISSIONS_MAX,
	ROLE_DESCRIPTION_MAX,
	ROLE_NAME,
	ROLE_NAME_MAX,
} from "../../../domain/application-role.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { list, multilineText, nameText, object, optional, text } from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { applicationRoleSchema, toWireRole } from "./application-wire.ts";
import { getApplication } from "./manage-application.ts";
import { createRole, deleteRole, updateRole } from "./manage-role.ts";

const name = nameText({
	max: ROLE_NAME_MAX,
	pattern: ROLE_NAME.source,
	description: "Unique within the application, case-sensitive, not a UUID.",
});
const otherFields = {
	description: optional(multilineText({ min: 0, max: ROLE_DESCRIPTION_MAX })),
	permissions: optional(
		list(text({ max: PERMISSION_MAX, pattern: PERMISSION.source }), {
			max: PERMISSIONS_MAX,
			description:
				"`orders:*` covers every permission that begins with `orders:`, `*` covers all; no duplicates.",
			examples: [["orders:read", "invoices:*"]],
		}),
	),
	permission_descriptions: optional(
		list(
			object(
				{
					permission: text({ max: PERMISSION_MAX, description: "One of `permissions`." }),
					en: text({ max: PERMISSION_DESCRIPTION_MAX, description: "In English." }),
					zh: text({ max: PERMISSION_DESCRIPTION_MAX, description: "In Chinese." }),
				},
				{ title: "NewPermissionDescription" },
			),
			{
				max: PERMISSIONS_MAX,
				description: "What permissions allow, for users whose consent a program requests.",
				examples: [[{ permission: "orders:read", en: "Read your orders", zh: "查看您的订单" }]],
			},
		),
	),
};
const createBody = object({ name, ...otherFields });
const patchBody = object({ name: optional(name), ...otherFields });

const toFields = fromWire(createBody);
const toPatch = fromWire(patchBody);
const NO_PERMISSIONS = { description: "", permissions: [], permissionDescriptions: [] };
const ofApplication = { id: "application.not_found" } as const;
const ofRole = { id: "application.not_found", role_id: "application_role.not_found" } as const;

export function rolesEndpoints(platform: Platform) {
	const { applications, applicationRoles } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listApplicationRoles",
			summary: "List the roles of an application",
			ids: ofApplication,
			response: page(applicationRoleSchema, "Roles, newest first."),
			async handle({ caller: { tenantId }, ids: { id }, page }) {
				await getApplication(applications, tenantId, id);
				return mapPage(await applicationRoles.list(tenantId, id, page), toWireRole);
			},
		}),

		create: endpoint<Administrator>()({
			name: "createApplicationRole",
			summary: "Create a role of an application",
			ids: ofApplication,
			body: createBody,
			response: data(201, applicationRoleSchema, "The new role."),
			errors: ["application_role.name_taken", "application_role.too_many"],
			async handle({ caller, ids: { id }, body }) {
				const fields = { ...NO_PERMISSIONS, ...toFields(body) };
				return toWireRole(await createRole(platform, id, fields, caller));
			},
		}),

		update: endpoint<Administrator>()({
			name: "updateApplicationRole",
			summary: "Change a role of an application",
			description:
				"Absent fields keep their values; `permissions` is replaced as a whole and applies immediately to every user who holds the role. So is `permission_descriptions`; without it, descriptions of removed permissions are removed.",
			ids: ofRole,
			body: patchBody,
			response: data(200, applicationRoleSchema, "The changed role."),
			errors: ["application_role.name_taken"],
			async handle({ caller, ids, body }) {
				const place = { appId: ids.id, roleId: ids.role_id };
				return toWireRole(await updateRole(platform, place, toPatch(body), caller));
			},
		}),

		remove: endpoint<Administrator>()({
			name: "deleteApplicationRole",
			summary: "Delete a role of an application",
			description: "Grants with the role remain, without the role.",
			ids: ofRole,
			response: empty(204, "The role is deleted."),
			handle: ({ caller, ids }) => deleteRole(platform, { appId: ids.id, roleId: ids.role_id }, caller),
		}),
	};
}
