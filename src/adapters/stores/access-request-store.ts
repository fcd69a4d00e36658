// Access requests in SQL. The unique index and conditional UPDATEs decide races.

import type { AccessRequestStore, ReviewedAccessRequest } from "../../domain/access-request.ts";
import { folded } from "../../kernel/folded.ts";
import { listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { totalOf } from "../sql/row-counts.ts";
import { accessRequests, storedAccessRequests } from "../sql/tables/partner-tables.ts";

const SEARCHED = ["r.applicant_name_folded", "r.email", "r.company_folded", "r.project_name_folded"];
const READ = accessRequests.as("r");
const COLUMNS = `${READ.columns}, u.username AS "reviewedByName"`;
const FROM =
	"access_requests AS r LEFT JOIN users AS u ON u.id = r.reviewed_by AND u.tenant_id = r.tenant_id";
const ORDER = { newest: "r.created_at DESC, r.id DESC", oldest: "r.created_at, r.id" } as const;
/** Reads all requests of the tenant, because there is no index over companies. */
const RELATED = "r.id <> ? AND (r.email = ? OR (r.company_folded <> '' AND r.company_folded = ?))";
const NO_CLAIM = { claimDigest: null, claimExpiresAtMs: null, claimedAtMs: null };

const ADD_TEST_CALLS = `UPDATE access_requests
	SET test_calls_ok = test_calls_ok + $2, test_calls_refused = test_calls_refused + $3
	WHERE id = (SELECT access_request_id FROM api_clients WHERE id = $1 AND mode = 'test')`;

export function createAccessRequestStore(queries: Queries): AccessRequestStore {
	return {
		insert: (request) => storedAccessRequests.insertUnlessTaken(queries, { ...request, ...NO_CLAIM }),
		async findById(tenantId, id) {
			const select = `SELECT ${COLUMNS} FROM ${FROM} WHERE r.id = $1 AND r.tenant_id = $2`;
			const row = await queries.one<NameRow>(select, id, tenantId);
			return row && toReviewed(row);
		},
		list({ tenantId, status, q, relatedTo, sort = "newest" }, page) {
			const filter = READ.matching({ tenantId }).maybe("r.status = ?", status).contains(SEARCHED, q);
			if (relatedTo !== undefined)
				filter.separately().add(RELATED, relatedTo.id, relatedTo.email, folded(relatedTo.company));
			const total = q || relatedTo ? undefined : totalOf("access_requests", tenantId, status);
			const select = { columns: COLUMNS, from: FROM, order: ORDER[sort], filter, total };
			return listPage<NameRow, ReviewedAccessRequest>(queries, select, page, toReviewed);
		},
		decide: (tenantId, id, { approval, ...review }) =>
			accessRequests.updateReturning(
				queries,
				{ ...review, ...approval, updatedAtMs: review.reviewedAtMs },
				{ id, tenantId, status: "pending" },
			),
		findWithdrawable: (withdrawDigest) => accessRequests.find(queries, { withdrawDigest, status: "pending" }),
		withdraw: (withdrawDigest, nowMs) =>
			accessRequests.updateReturning(
				queries,
				{ status: "withdrawn", updatedAtMs: nowMs },
				{ withdrawDigest, status: "pending" },
			),
		replaceClaim: (tenantId, id, claimDigest, claimExpiresAtMs, nowMs) =>
			accessRequests.updateReturning(
				queries,
				{ claimDigest, claimExpiresAtMs, updatedAtMs: nowMs },
				{ id, tenantId, status: "approved", claimedAtMs: null },
			),
		consumeClaim: (claimDigest, nowMs) =>
			accessRequests.updateReturning(
				queries,
				{ claimDigest: null, claimedAtMs: nowMs, updatedAtMs: nowMs },
				"claim_digest = $1 AND claim_expires_at > $2 AND claimed_at IS NULL",
				claimDigest,
				nowMs,
			),
		consumeTest: (testDigest, nowMs) =>
			accessRequests.updateReturning(
				queries,
				{ testDigest: null, updatedAtMs: nowMs },
				{ testDigest, status: "pending" },
			),
		async addTestCalls(calls) {
			// Sort, so that two nodes cannot deadlock.
			for (const { clientId, ok, refused } of calls.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1)))
				await queries.run(ADD_TEST_CALLS, clientId, ok, refused);
		},
	};
}

interface NameRow {
	readonly reviewedByName: string | null;
}

function toReviewed(row: NameRow): ReviewedAccessRequest {
	return { ...READ.read(row), reviewedByName: row.reviewedByName };
}
