// The table of requests of every kind, and of the people who asked for a program. Columns of another kind are NULL.

import type { Locale } from "../../../domain/locale.ts";
import type { RequestKind, RequestStatus } from "../../../domain/request.ts";
import type { RequestMailFrequency } from "../../../domain/request-mails.ts";
import { isText, listOf } from "../../../kernel/shape.ts";
import { flag, foldedFrom, integer, json, key, nullable, ofTenant, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { KEPT, repaired } from "../table-policy.ts";
import { document } from "./program-tables.ts";

export const requests = table(
	"requests",
	repaired(
		{
			description: "claim links invalidated (mail a new one with POST /requests/{id}/resend)",
			sql: () =>
				"UPDATE requests SET claim_digest = NULL, claim_expires_at = NULL WHERE claim_digest IS NOT NULL",
		},
		{
			description: "withdrawal links of pending access requests invalidated",
			// No digest contains a space.
			sql: () =>
				"UPDATE requests SET withdraw_digest = 'void ' || id WHERE status = 'pending' AND withdraw_digest IS NOT NULL",
		},
		{
			description: "links to test clients invalidated",
			sql: () => "UPDATE requests SET test_digest = NULL WHERE test_digest IS NOT NULL",
		},
	),
	{
		...ofTenant,
		kind: text<RequestKind>(),
		status: text<RequestStatus>(),
		reviewNote: text(),
		reviewedBy: nullable(text()),
		reviewedAtMs: nullable(integer()),
		resultId: nullable(text()),
		applicantName: text(),
		applicantNameFolded: foldedFrom("applicantName"),
		email: text(),
		company: text(),
		companyFolded: foldedFrom("company"),
		projectName: text(),
		projectNameFolded: foldedFrom("projectName"),
		purpose: text(),
		locale: text<Locale>(),
		withdrawDigest: text(),
		claimDigest: nullable(text()),
		claimExpiresAtMs: nullable(integer()),
		claimedAtMs: nullable(integer()),
		testDigest: nullable(text()),
		testCallsOk: integer(),
		testCallsRefused: integer(),
		isChange: flag(),
		url: text(),
		document: nullable(document),
		redirectUri: text(),
		resources: json(listOf(isText)),
		userId: text(),
		appId: text(),
		roles: json(listOf(isText)),
		reason: text(),
		untilMs: integer(),
		...timestamps,
	},
);

/** As inserted. */
export const storedAccessRequests = requests.without(
	"isChange",
	"url",
	"document",
	"redirectUri",
	"resources",
	"userId",
	"appId",
	"roles",
	"reason",
	"untilMs",
);
export const accessRequests = storedAccessRequests.without(
	"kind",
	"withdrawDigest",
	"claimDigest",
	"claimExpiresAtMs",
	"testDigest",
);

const STATE = [
	"id",
	"tenantId",
	"kind",
	"status",
	"reviewNote",
	"reviewedBy",
	"reviewedAtMs",
	"resultId",
	"createdAtMs",
	"updatedAtMs",
] as const;

/** As inserted. */
export const storedPersonRequests = requests.pick(...STATE, "userId", "appId", "roles", "reason", "untilMs");
export const personRequests = storedPersonRequests.without("kind");

/** As inserted. */
export const storedProgramRequests = requests.pick(
	...STATE,
	"isChange",
	"url",
	"document",
	"redirectUri",
	"resources",
);
export const programRequests = storedProgramRequests.without("kind");

export const requestMails = table("request_mails", KEPT, {
	userId: key(text()),
	tenantId: text(),
	frequency: text<RequestMailFrequency>(),
	dueAtMs: nullable(integer()),
});

export const programAskers = table("program_askers", KEPT, {
	requestId: key(text()),
	userId: key(text()),
	tenantId: text(),
	reason: text(),
	createdAtMs: integer(),
});
