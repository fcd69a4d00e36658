// Access requests in SQL: the unique index and conditional UPDATEs decide races.

import type { AccessRequestStore } from "../../domain/access-request.ts";
import { totalOf } from "../sql/counted-tables.ts";
import type { Queries } from "../sql/engine.ts";
import { accessRequests, storedAccessRequests } from "../sql/tables/partner-tables.ts";

const SEARCHED = ["applicant_name", "email", "company", "project_name"];
const NO_CLAIM = { claimDigest: null, claimExpiresAtMs: null, claimedAtMs: null };

export function createAccessRequestStore(queries: Queries): AccessRequestStore {
	return {
		insert: (request) => storedAccessRequests.insertUnlessTaken(queries, { ...request, ...NO_CLAIM }),
		findById: (tenantId, id) => accessRequests.find(queries, { id, tenantId }),
		list({ tenantId, status, q }, page) {
			const filter = accessRequests.matching({ tenantId }).maybe("status = ?", status).contains(SEARCHED, q);
			const total = q ? undefined : totalOf("access_requests", tenantId, status);
			return accessRequests.list(queries, { filter, total }, page);
		},
		decide: (tenantId, id, { approval, ...review }) =>
			accessRequests.updateReturning(
				queries,
				{ ...review, ...approval, updatedAtMs: review.reviewedAtMs },
				{ id, tenantId, status: "pending" },
			),
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
	};
}
