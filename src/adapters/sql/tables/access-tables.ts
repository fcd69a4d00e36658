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
import { isNumber, isText, listOf, objectOf, oneOf, orNull } from "../../../kernel/shape.ts";
import {
	type Column,
	flag,
	foldedFrom,
	integer,
	json,
	key,
	nullable,
	ofTenant,
	text,
	timestamps,
} from "../column.ts";
import { table } from "../table.ts";
import { KEPT, keptWith } from "../table-policy.ts";

export const applications = table("applications", KEPT, {
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
});

export const applicationRoles = table("application_roles", KEPT, {
	...ofTenant,
	appId: text(),
	name: text(),
	description: text(),
	permissions: json(listOf(isText)),
	permissionDescriptions: json<readonly PermissionDescription[]>(
		listOf(objectOf({ permission: isText, en: isText, zh: isText })),
	),
	...timestamps,
});

/** The grants of one kind of holder. */
function grantTable<Holder extends string>(name: string, holder: Holder) {
	const columns = {
		...ofTenant,
		tenantId: key(text()),
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
	return table(name, KEPT, held);
}

const grantRoleTable = (name: string) =>
	table(name, KEPT, { tenantId: text(), grantId: key(text()), roleId: key(text()) });

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
export const storedGroups = table("user_groups", KEPT, {
	...ofTenant,
	name: text(),
	nameKey: text(),
	nameFolded: foldedFrom("name"),
	description: text(),
	descriptionFolded: foldedFrom("description"),
	managedBy: nullable(text<ManagedBy>()),
	...timestamps,
});
export const groups = storedGroups.without("nameKey");

export const groupMembers = table("group_members", KEPT, {
	groupId: key(text()),
	userId: key(text()),
	tenantId: text(),
	addedAtMs: integer(),
	expiresAtMs: nullable(integer()),
	lastUsedAtMs: nullable(integer()),
	noticedEndMs: nullable(integer()),
});

/** Of an application or of a group. */
export const managers = table("managers", KEPT, {
	...ofTenant,
	userId: text(),
	appId: nullable(text()),
	groupId: nullable(text()),
	addedAtMs: integer(),
});

export const reviews = table("reviews", KEPT, {
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
});

const texts = json(listOf(isText));

export const storedReviewItems = table(
	"review_items",
	keptWith({ answer_digest: "lets a partner change a note for the reviewers, and decides nothing" }),
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
					requestId: orNull(isText),
					grantedBy: orNull(isText),
					expiresAtMs: orNull(isNumber),
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
);
export const reviewItems = storedReviewItems.without("noticeDue", "answerDigest");
