// The queue of requests in SQL. A conditional UPDATE decides races.

import type {
	QueuedRequest,
	RequestQuery,
	RequestStore,
	ReviewedRequest,
} from "../../domain/request-queue.ts";
import { folded } from "../../kernel/folded.ts";
import { type Filter, listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { totalOf } from "../sql/row-counts.ts";
import { accessRequests, programRequests, requests } from "../sql/tables/request-tables.ts";

const SEARCHED = [
	"r.applicant_name_folded",
	"r.email",
	"r.company_folded",
	"r.project_name_folded",
	"lower(r.url)",
];
const READ = requests.as("r");
const COLUMNS = `${READ.columns}, u.username AS "reviewedByName"`;
const FROM = "requests AS r LEFT JOIN users AS u ON u.id = r.reviewed_by AND u.tenant_id = r.tenant_id";
const ORDER = { newest: "r.created_at DESC, r.id DESC", oldest: "r.created_at ASC, r.id ASC" } as const;
const DECIDE = `UPDATE requests SET status = $3, review_note = $4, reviewed_by = $5, reviewed_at = $6, updated_at = $6,
	result_id = coalesce(result_id, $7) WHERE id = $1 AND tenant_id = $2 AND status = 'pending' RETURNING ${requests.columns}`;

export function createRequestStore(queries: Queries): RequestStore {
	return {
		async findById(tenantId, id) {
			const select = `SELECT ${COLUMNS} FROM ${FROM} WHERE r.id = $1 AND r.tenant_id = $2`;
			const row = await queries.one<NamedRow>(select, id, tenantId);
			return row && toReviewed(row);
		},
		list({ tenantId, kind, status, q, relatedTo, sort = "newest" }, page) {
			const filter = READ.matching({ tenantId }).maybe("r.kind = ?", kind).maybe("r.status = ?", status);
			filter.contains(SEARCHED, q);
			if (relatedTo !== undefined) addRelated(filter, relatedTo);
			const total = q || relatedTo || kind ? undefined : totalOf("requests", tenantId, status);
			const select = { columns: COLUMNS, from: FROM, order: ORDER[sort], filter, total };
			return listPage<NamedRow, ReviewedRequest>(queries, select, page, toReviewed);
		},
		async decide(tenantId, id, { status, reviewNote, reviewedBy, reviewedAtMs, resultId }) {
			const review = [status, reviewNote, reviewedBy, reviewedAtMs, resultId];
			const row = await queries.one<KindRow>(DECIDE, id, tenantId, ...review);
			return row && toRequest(row);
		},
	};
}

/** Reads all access requests of the tenant for one of them, because there is no index over companies. */
function addRelated(filter: Filter, request: NonNullable<RequestQuery["relatedTo"]>): void {
	filter.add("r.id <> ?", request.id);
	if (request.kind === "program") filter.add("r.url = ?", request.url);
	else
		filter
			.separately()
			.add(
				"(r.email = ? OR (r.company_folded <> '' AND r.company_folded = ?))",
				request.email,
				folded(request.company),
			);
}

type KindRow = Pick<QueuedRequest, "kind">;

interface NamedRow extends KindRow {
	readonly reviewedByName: string | null;
}

function toRequest(row: KindRow): QueuedRequest {
	return row.kind === "partner"
		? { ...accessRequests.read(row), kind: "partner" }
		: { ...programRequests.read(row), kind: "program" };
}

function toReviewed(row: NamedRow): ReviewedRequest {
	return { ...toRequest(row), reviewedByName: row.reviewedByName };
}
