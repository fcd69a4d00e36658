// Reviews and their items in SQL: snapshots, decisions, and the end.

import type { ReviewStore } from "../../domain/review.ts";
import type { Queries } from "../sql/queries.ts";
import { createReviewClosing } from "./review-closing.ts";
import { createReviewDecisions } from "./review-decisions.ts";
import { createReviewSnapshots } from "./review-snapshots.ts";
import type { TenantTime } from "./tenant-time.ts";

export function createReviewStore(queries: Queries, timeOf: TenantTime): ReviewStore {
	return {
		...createReviewSnapshots(queries, timeOf),
		...createReviewDecisions(queries, timeOf),
		...createReviewClosing(queries),
	};
}
