// The queue of requests in SQL. A conditional UPDATE decides races.

import type { RequestKind, Reviewed } from "../../domain/request.ts";
import type {
	QueuedRequest,
	RequestOf,
	RequestQuery,
	RequestStore,
	ReviewedRequest,
} from "../../domain/request-queue.ts";
import { folded } from "../../kernel/folded.ts";
import { Filter, listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { totalOf } from "../sql/row-counts.ts";
import { accessRequests, personRequests, programRequests, requests } from "../sql/tables/request-tables.ts";
import type { TenantTime } from "./tenant-time.ts";

const SEARCHED = [
	"r.applicant_name_folded",
	"r.email",
	"r.company_folded",
	"r.project_name_folded",
	"lower(r.url)",
	"p.username_key",
	"p.display_name_folded",
	"a.name_folded",
];
const READ = requests.as("r");
const COLUMNS = `${READ.columns}, u.username AS "reviewedByName", p.username, p.display_name AS "displayName", a.name AS "appName"`;
const FROM = `requests AS r LEFT JOIN users AS u ON u.id = r.reviewed_by AND u.tenant_id = r.tenant_id
	LEFT JOIN users AS p ON p.id = r.user_id LEFT JOIN applications AS a ON a.id = r.app_id`;
/** The applications whose requests a user reviews as a member of a group or as a manager: found by the user, not by the tenant. */
const REVIEWED_BY_MEMBER = `SELECT o.id FROM group_members m JOIN applications o ON o.requestable_reviewers = m.group_id
	AND (o.tenant_id || '') = m.tenant_id WHERE m.user_id = ? AND (m.tenant_id || '') = ? AND (m.expires_at IS NULL OR m.expires_at > ?)
	UNION ALL SELECT g.app_id FROM managers g WHERE g.user_id = ? AND (g.tenant_id || '') = ? AND g.app_id IS NOT NULL`;
const OF_MEMBER = `r.kind = 'person' AND r.app_id IN (${REVIEWED_BY_MEMBER})`;
const ORDER = { newest: "r.created_at DESC, r.id DESC", oldest: "r.created_at ASC, r.id ASC" } as const;
const DECIDE = `UPDATE requests SET status = $3, review_note = $4, reviewed_by = $5, reviewed_at = $6, updated_at = $6,
	result_id = coalesce(result_id, $7) WHERE id = $1 AND tenant_id = $2 AND status = 'pending' RETURNING ${requests.columns}`;

export function createRequestStore(queries: Queries, timeOf: TenantTime): RequestStore {
	const reviewerOf = async (userId: string, tenantId: string) =>
		[userId, tenantId, await timeOf(tenantId), userId, tenantId] as const;
	const inScope = async (filter: Filter, tenantId: string, memberId: string | null): Promise<Filter> =>
		memberId === null ? filter : filter.add(OF_MEMBER, ...(await reviewerOf(memberId, tenantId)));
	return {
		async findById({ tenantId, memberId }, id) {
			const filter = await inScope(READ.matching({ id, tenantId }), tenantId, memberId);
			const select = `SELECT ${COLUMNS} FROM ${FROM} ${filter.where}`;
			const row = await queries.one<NamedRow>(select, ...filter.parameters);
			return row && toReviewed(row);
		},
		async isReviewer(tenantId, userId) {
			const reviewer = await reviewerOf(userId, tenantId);
			const filter = new Filter().add(`EXISTS (${REVIEWED_BY_MEMBER})`, ...reviewer);
			const row = await queries.one(`SELECT 1 AS found ${filter.where}`, ...filter.parameters);
			return row !== undefined;
		},
		async list({ tenantId, memberId, kind, status, q, relatedTo, sort = "newest" }, page) {
			const filter = (await inScope(READ.matching({ tenantId }), tenantId, memberId))
				.maybe("r.kind = ?", kind)
				.maybe("r.status = ?", status);
			filter.contains(SEARCHED, q);
			if (relatedTo !== undefined) addRelated(filter, relatedTo);
			if (memberId !== null) filter.separately();
			const total =
				q || relatedTo || kind || memberId !== null ? undefined : totalOf("requests", tenantId, status);
			const select = { columns: COLUMNS, from: FROM, order: ORDER[sort], filter, total };
			return await listPage<NamedRow, ReviewedRequest>(queries, select, page, toReviewed);
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
	else if (request.kind === "person") filter.add("r.user_id = ?", request.userId);
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

interface NamedRow extends KindRow, Reviewed {}

const READERS: { readonly [K in RequestKind]: (row: KindRow) => RequestOf[K] } = {
	partner: (row) => ({ ...accessRequests.read(row), kind: "partner" }),
	program: (row) => ({ ...programRequests.read(row), kind: "program" }),
	person: (row) => ({ ...personRequests.read(row), kind: "person" }),
};

function toRequest(row: KindRow): QueuedRequest {
	return READERS[row.kind](row);
}

function toReviewed(row: NamedRow): ReviewedRequest {
	const { reviewedByName, username, displayName, appName } = row;
	return { ...toRequest(row), reviewedByName, username, displayName, appName };
}
