// Access requests in SQL: the unique index and conditional UPDATEs decide races.

import type { AccessRequestStore } from "../../domain/access-request.ts";
import { totalOf } from "../sql/counted-tables.ts";
import type { Queries } from "../sql/engine.ts";
import { Filter } from "../sql/page.ts";
import { accessRequests, storedAccessRequests } from "../sql/tables/partner-tables.ts";

const THIS_REQUEST = "id = $1 AND tenant_id = $2";
const SEARCHED = ["applicant_name", "email", "company", "project_name"];
const DECIDE = `UPDATE access_requests SET status = $3, review_note = $4, reviewed_by = $5, reviewed_at = $6, updated_at = $6,
	  api_client_id = $7, claim_digest = $8, claim_expires_at = $9
	WHERE ${THIS_REQUEST} AND status = 'pending'`;
const WITHDRAW = `UPDATE access_requests SET status = 'withdrawn', updated_at = $2
	WHERE withdraw_digest = $1 AND status = 'pending'`;
const REPLACE_CLAIM = `UPDATE access_requests SET claim_digest = $3, claim_expires_at = $4, updated_at = $5
	WHERE ${THIS_REQUEST} AND status = 'approved' AND claimed_at IS NULL`;
const CONSUME_CLAIM = `UPDATE access_requests SET claim_digest = NULL, claimed_at = $2, updated_at = $2
	WHERE claim_digest = $1 AND claim_expires_at > $2 AND claimed_at IS NULL`;
const NO_CLAIM = { claimDigest: null, claimExpiresAtMs: null, claimedAtMs: null };

export function createAccessRequestStore(queries: Queries): AccessRequestStore {
	return {
		insert: (request) => storedAccessRequests.insertUnlessTaken(queries, { ...request, ...NO_CLAIM }),
		findById: (tenantId, id) => accessRequests.find(queries, THIS_REQUEST, id, tenantId),
		list({ tenantId, status, q }, page) {
			const filter = new Filter()
				.add("tenant_id = ?", tenantId)
				.maybe("status = ?", status)
				.contains(SEARCHED, q);
			const total = q ? undefined : totalOf("access_requests", tenantId, status);
			return accessRequests.list(queries, { filter, total }, page);
		},
		decide: (tenantId, id, { status, reviewNote, reviewedBy, reviewedAtMs, approval }) =>
			accessRequests.returning(
				queries,
				DECIDE,
				id,
				tenantId,
				status,
				reviewNote,
				reviewedBy,
				reviewedAtMs,
				approval?.apiClientId ?? null,
				approval?.claimDigest ?? null,
				approval?.claimExpiresAtMs ?? null,
			),
		withdraw: (withdrawDigest, nowMs) => accessRequests.returning(queries, WITHDRAW, withdrawDigest, nowMs),
		replaceClaim: (tenantId, id, claimDigest, claimExpiresAtMs, nowMs) =>
			accessRequests.returning(queries, REPLACE_CLAIM, id, tenantId, claimDigest, claimExpiresAtMs, nowMs),
		consumeClaim: (claimDigest, nowMs) =>
			accessRequests.returning(queries, CONSUME_CLAIM, claimDigest, nowMs),
	};
}
