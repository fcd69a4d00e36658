// Access requests in SQL. The unique index and conditional UPDATEs decide races.

import type { AccessRequestStore } from "../../domain/access-request.ts";
import type { Queries } from "../sql/queries.ts";
import { after } from "../sql/table-columns.ts";
import { accessRequests, storedAccessRequests } from "../sql/tables/request-tables.ts";

const NO_CLAIM = { claimDigest: null, claimExpiresAtMs: null, claimedAtMs: null };

const ADD_TEST_CALLS = `UPDATE requests
	SET test_calls_ok = test_calls_ok + $2, test_calls_refused = test_calls_refused + $3
	WHERE id = (SELECT access_request_id FROM api_clients WHERE id = $1 AND mode = 'test')`;

export function createAccessRequestStore(queries: Queries): AccessRequestStore {
	return {
		insert: (request) =>
			storedAccessRequests.insertUnlessTaken(queries, { ...request, kind: "partner", ...NO_CLAIM }),
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
				{ claimDigest, claimExpiresAtMs: after(nowMs), claimedAtMs: null },
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
