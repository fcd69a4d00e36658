// Tables of applications, groups, and grants.

import type { AccessPolicy, ApplicationKind, ApplicationStatus } from "../../../domain/application.ts";
import type { PermissionDescription } from "../../../domain/application-role.ts";
import { isText, listOf, objectOf } from "../../../kernel/shape.ts";
import {
	type Column,
	flag,
	foldedFrom,
	integer,
	json,
	nullable,
	ofTenant,
	text,
	timestamps,
} from "../column.ts";
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
		requestableRoleIds: nullable(json(listOf(isText))),
		requestableLongest: nullable(text()),
		requestableReviewers: nullable(text()),
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

/** The grants of one kind of holder. */
function grantTable<Holder extends string>(name: string, holder: Holder) {
	const columns = {
		...ofTenant,
		appId: text(),
		expiresAtMs: nullable(integer()),
		reason: text(),
		requestId: nullable(text()),
		grantedBy: nullable(text()),
		lastUsedAtMs: nullable(integer()),
		...timestamps,
	};
	const held = { ...columns, [holder]: text() } as typeof columns & Record<Holder, Column<string>>;
	return table(name, held, { key: ["id", "tenant_id"], restore: KEPT });
}

const grantRoleTable = (name: string) =>
	table(
		name,
		{ tenantId: text(), grantId: text(), roleId: text() },
		{ key: ["grant_id", "role_id"], restore: KEPT },
	);

export const grants = grantTable("grants", "userId");
export const groupGrants = grantTable("group_grants", "groupId");
export const clientGrants = grantTable("client_grants", "clientId");
/** Grants to applications whose OAuth client acts for itself. */
export const programGrants = grantTable("program_grants", "programId");

export const grantRoles = grantRoleTable("grant_roles");
export const groupGrantRoles = grantRoleTable("group_grant_roles");
export const clientGrantRoles = grantRoleTable("client_grant_roles");
export const programGrantRoles = grantRoleTable("program_grant_roles");

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
	{
		groupId: text(),
		userId: text(),
		tenantId: text(),
		addedAtMs: integer(),
		expiresAtMs: nullable(integer()),
	},
	{ key: ["group_id", "user_id"], restore: KEPT },
);
