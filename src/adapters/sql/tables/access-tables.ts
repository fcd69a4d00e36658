// Tables of applications, groups, and grants.

import type { AccessPolicy, ApplicationKind, ApplicationStatus } from "../../../domain/application.ts";
import type { PermissionDescription } from "../../../domain/application-role.ts";
import {
	type AccessSource,
	type ItemDecision,
	type ItemState,
	type PartnerAnswer,
	type Review,
	type ReviewSubject,
	SOURCE_KINDS,
} from "../../../domain/review.ts";
import type { ManagedBy } from "../../../domain/tenant.ts";
import { either, isNumber, isText, listOf, objectOf, oneOf, type Shape } from "../../../kernel/shape.ts";
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
		supportSessions: flag(),
		lastSignInAtMs: nullable(integer()),
		accessRequestId: nullable(text()),
		requestableRoleIds: nullable(json(listOf(isText))),
		requestableLongest: nullable(text()),
		requestableReviewers: nullable(text()),
		managedBy: nullable(text<ManagedBy>()),
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
		noticedEndMs: nullable(integer()),
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
		managedBy: nullable(text<ManagedBy>()),
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
		lastUsedAtMs: nullable(integer()),
		noticedEndMs: nullable(integer()),
	},
	{ key: ["group_id", "user_id"], restore: KEPT },
);

/** Of an application or of a group. */
export const managers = table(
	"managers",
	{
		...ofTenant,
		userId: text(),
		appId: nullable(text()),
		groupId: nullable(text()),
		addedAtMs: integer(),
	},
	{ restore: KEPT },
);

export const reviews = table(
	"reviews",
	{
		...ofTenant,
		name: text(),
		subject: text<ReviewSubject>(),
		appId: nullable(text()),
		groupId: nullable(text()),
		status: text<Review["status"]>(),
		unanswered: text<ItemDecision>(),
		reviewers: nullable(text()),
		dueAtMs: integer(),
		total: integer(),
		kept: integer(),
		ended: integer(),
		createdBy: nullable(text()),
		remindedAtMs: nullable(integer()),
		closedAtMs: nullable(integer()),
		closeAuditId: nullable(text()),
		...timestamps,
	},
	{ restore: KEPT },
);

const texts = json(listOf(isText));
const isNull: Shape<null> = (value) => value === null;

export const storedReviewItems = table(
	"review_items",
	{
		...ofTenant,
		reviewId: text(),
		subjectId: text(),
		subjectName: text(),
		subjectNameFolded: foldedFrom("subjectName"),
		ownerId: nullable(text()),
		appId: nullable(text()),
		appName: text(),
		roles: texts,
		permissions: texts,
		scopes: texts,
		sources: json<readonly AccessSource[]>(
			listOf(
				objectOf({
					kind: oneOf(SOURCE_KINDS),
					id: isText,
					name: isText,
					appName: isText,
					roles: listOf(isText),
					requestId: either(isText, isNull),
					grantedBy: either(isText, isNull),
					expiresAtMs: either(isNumber, isNull),
					createdAtMs: isNumber,
					otherApps: listOf(isText),
				}),
			),
		),
		lastUsedAtMs: nullable(integer()),
		createdAtMs: integer(),
		ownerLeft: flag(),
		neverUsed: flag(),
		unused: flag(),
		risk: integer(),
		version: text(),
		state: text<ItemState>(),
		note: text(),
		decidedBy: nullable(text()),
		decidedAtMs: nullable(integer()),
		decidedFor: nullable(text()),
		auditId: nullable(text()),
		appliedAtMs: nullable(integer()),
		failure: text(),
		noticeDue: flag(),
		noticedAtMs: nullable(integer()),
		answerDigest: nullable(text()),
		partnerAnswer: nullable(text<PartnerAnswer>()),
		partnerReason: text(),
		partnerAnsweredAtMs: nullable(integer()),
	},
	{
		restore: {
			rows: "kept",
			harmless: { answer_digest: "lets a partner change a note for the reviewers, and decides nothing" },
		},
	},
);
export const reviewItems = storedReviewItems.without("noticeDue", "answerDigest");
