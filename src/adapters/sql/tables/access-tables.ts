// Tables of applications, groups, and who may use which application.

import type { AccessPolicy, ApplicationStatus } from "../../../domain/application.ts";
import { isText, listOf } from "../../../kernel/shape.ts";
import { flag, integer, json, text } from "../column.ts";
import { table } from "../table.ts";
import { KEPT } from "../table-policy.ts";

export const applications = table(
	"applications",
	{
		id: text(),
		tenantId: text(),
		name: text(),
		slug: text(),
		description: text(),
		homepageUrl: text(),
		logoUrl: text(),
		redirectUris: json(listOf(isText)),
		accessPolicy: text<AccessPolicy>(),
		status: text<ApplicationStatus>(),
		requireMfa: flag(),
		createdAtMs: integer(),
		updatedAtMs: integer(),
	},
	{ restore: KEPT },
);

export const applicationRoles = table(
	"application_roles",
	{
		id: text(),
		tenantId: text(),
		appId: text(),
		name: text(),
		description: text(),
		permissions: json(listOf(isText)),
		createdAtMs: integer(),
		updatedAtMs: integer(),
	},
	{ restore: KEPT },
);

const grant = { id: text(), tenantId: text(), appId: text(), createdAtMs: integer(), updatedAtMs: integer() };
const grantRole = { grantId: text(), roleId: text() };
const GRANT_ROLE = { key: ["grant_id", "role_id"], restore: KEPT };

export const grants = table("grants", { ...grant, userId: text() }, { restore: KEPT });
export const grantRoles = table("grant_roles", grantRole, GRANT_ROLE);

/** Grants to groups mirror grants to users, table by table. */
export const groupGrants = table("group_grants", { ...grant, groupId: text() }, { restore: KEPT });
export const groupGrantRoles = table("group_grant_roles", grantRole, GRANT_ROLE);

/** `nameKey`: what the unique index compares. */
export const storedGroups = table(
	"user_groups",
	{
		id: text(),
		tenantId: text(),
		name: text(),
		nameKey: text(),
		description: text(),
		createdAtMs: integer(),
		updatedAtMs: integer(),
	},
	{ restore: KEPT },
);
export const groups = storedGroups.without("nameKey");

export const groupMembers = table(
	"group_members",
	{ groupId: text(), userId: text(), tenantId: text(), addedAtMs: integer() },
	{ key: ["group_id", "user_id"], restore: KEPT },
);
