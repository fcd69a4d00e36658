// Tables of applications, groups, and grants.

import type { AccessPolicy, ApplicationKind, ApplicationStatus } from "../../../domain/application.ts";
import type { PermissionDescription } from "../../../domain/application-role.ts";
import { isText, listOf, objectOf } from "../../../kernel/shape.ts";
import { flag, foldedFrom, integer, json, nullable, ofTenant, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { KEPT } from "../table-policy.ts";

export const applications = table(
	"applications",
	{
		...ofTenant,
		kind: text<ApplicationKind>(),
		name: text(),
		nameFolded: foldedFrom("name"),
		slug: text(),
		description: text(),
		homepageUrl: text(),
		logoUrl: text(),
		redirectUris: json(listOf(isText)),
		accessPolicy: text<AccessPolicy>(),
		status: text<ApplicationStatus>(),
		requireMfa: flag(),
		lastSignInAtMs: nullable(integer()),
		accessRequestId: nullable(text()),
		...timestamps,
	},
	{ restore: KEPT },
);

export const applicationRoles = table(
	"application_roles",
	{
		...ofTenant,
		appId: text(),
		name: text(),
		description: text(),
		permissions: json(listOf(isText)),
		permissionDescriptions: json<readonly PermissionDescription[]>(
			listOf(objectOf({ permission: isText, en: isText, zh: isText })),
		),
		...timestamps,
	},
	{ restore: KEPT },
);

const grant = { ...ofTenant, appId: text(), ...timestamps };
const GRANT = { key: ["id", "tenant_id"], restore: KEPT };
const grantRole = { tenantId: text(), grantId: text(), roleId: text() };
const GRANT_ROLE = { key: ["grant_id", "role_id"], restore: KEPT };

export const grants = table("grants", { ...grant, userId: text() }, GRANT);
export const grantRoles = table("grant_roles", grantRole, GRANT_ROLE);

/** Grants to groups have the same tables as grants to users. */
export const groupGrants = table("group_grants", { ...grant, groupId: text() }, GRANT);
export const groupGrantRoles = table("group_grant_roles", grantRole, GRANT_ROLE);

/** Grants to API clients. */
export const clientGrants = table("client_grants", { ...grant, clientId: text() }, GRANT);
export const clientGrantRoles = table("client_grant_roles", grantRole, GRANT_ROLE);

/** Grants to applications whose OAuth client acts for itself. */
export const programGrants = table("program_grants", { ...grant, programId: text() }, GRANT);
export const programGrantRoles = table("program_grant_roles", grantRole, GRANT_ROLE);

/** The unique index compares `nameKey`. */
export const storedGroups = table(
	"user_groups",
	{
		...ofTenant,
		name: text(),
		nameKey: text(),
		nameFolded: foldedFrom("name"),
		description: text(),
		descriptionFolded: foldedFrom("description"),
		...timestamps,
	},
	{ restore: KEPT },
);
export const groups = storedGroups.without("nameKey");

export const groupMembers = table(
	"group_members",
	{ groupId: text(), userId: text(), tenantId: text(), addedAtMs: integer() },
	{ key: ["group_id", "user_id"], restore: KEPT },
);
