// The wire form of applications, their roles and their grants.

import { ACCESS_POLICIES, APPLICATION_STATUSES, type Application } from "../../../domain/application.ts";
import type { ApplicationRole } from "../../../domain/application-role.ts";
import type { Grant } from "../../../domain/grant.ts";
import { boolean, choice, type Infer, list, object, optional, plain, time } from "../../../http/schema.ts";
import { isoTime } from "../../../kernel/clock.ts";

export const applicationSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		name: plain(),
		slug: plain({ description: "Unique within the tenant." }),
		description: plain(),
		homepage_url: plain({ description: 'Empty (`""`) when unset.' }),
		logo_url: plain({ description: 'Empty (`""`) when unset.' }),
		redirect_uris: list(plain(), { description: "Where sign-in may redirect to; compared exactly." }),
		access_policy: choice(ACCESS_POLICIES, {
			description: "`open`: every active user of the tenant may use it; `assigned`: only users with a grant.",
		}),
		status: choice(APPLICATION_STATUSES),
		require_mfa: boolean({ description: "Whether signing in to it requires a second factor." }),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "Application" },
);

export function toWireApplication(application: Application): Infer<typeof applicationSchema> {
	return {
		id: application.id,
		tenant_id: application.tenantId,
		name: application.name,
		slug: application.slug,
		description: application.description,
		homepage_url: application.homepageUrl,
		logo_url: application.logoUrl,
		redirect_uris: [...application.redirectUris],
		access_policy: application.accessPolicy,
		status: application.status,
		require_mfa: application.requireMfa,
		created_at: isoTime(application.createdAtMs),
		updated_at: isoTime(application.updatedAtMs),
	};
}

export const applicationRoleSchema = object(
	{
		id: plain({ format: "uuid" }),
		app_id: plain({ format: "uuid" }),
		name: plain(),
		description: plain(),
		permissions: list(plain(), { examples: [["orders:read", "invoices:*"]] }),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "ApplicationRole" },
);

export function toWireRole(role: ApplicationRole): Infer<typeof applicationRoleSchema> {
	return {
		id: role.id,
		app_id: role.appId,
		name: role.name,
		description: role.description,
		permissions: [...role.permissions],
		created_at: isoTime(role.createdAtMs),
		updated_at: isoTime(role.updatedAtMs),
	};
}

export const grantSchema = object(
	{
		id: plain({ format: "uuid" }),
		app_id: plain({ format: "uuid" }),
		user_id: optional(plain({ format: "uuid", description: "Of a grant to a user." })),
		group_id: optional(plain({ format: "uuid", description: "Of a grant to a group." })),
		roles: list(plain(), { description: "Names of the application's roles, sorted." }),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "Grant" },
);

export function toWireGrant(grant: Grant): Infer<typeof grantSchema> {
	return {
		id: grant.id,
		app_id: grant.appId,
		...(grant.subject.kind === "user" ? { user_id: grant.subject.id } : { group_id: grant.subject.id }),
		roles: [...grant.roles],
		created_at: isoTime(grant.createdAtMs),
		updated_at: isoTime(grant.updatedAtMs),
	};
}
