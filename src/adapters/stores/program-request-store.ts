// Program requests in SQL. The unique index and conditional UPDATEs decide races.

import type {
	NamedAsker,
	ProgramRequestStore,
	ReviewedProgramRequest,
} from "../../domain/program-request.ts";
import { listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { programAskers, programRequests } from "../sql/tables/program-tables.ts";

const READ = programRequests.as("r");
const COLUMNS = `${READ.columns}, u.username AS "reviewedByName"`;
const FROM = "program_requests r LEFT JOIN users u ON u.id = r.reviewed_by AND u.tenant_id = r.tenant_id";
const ORDER = { newest: "r.created_at DESC, r.id DESC", oldest: "r.created_at, r.id" } as const;
const ASKER = programAskers.as("k");

export function createProgramRequestStore(queries: Queries): ProgramRequestStore {
	return {
		insert: (request) => programRequests.insertUnlessTaken(queries, request),
		async findById(tenantId, id) {
			const select = `SELECT ${COLUMNS} FROM ${FROM} WHERE r.id = $1 AND r.tenant_id = $2`;
			const row = await queries.one<NameRow>(select, id, tenantId);
			return row && toReviewed(row);
		},
		async findLatest(tenantId, url) {
			const newest = "tenant_id = $1 AND url = $2 ORDER BY created_at DESC, id DESC LIMIT 1";
			return (await programRequests.all(queries, newest, tenantId, url))[0];
		},
		findChange: (tenantId, applicationId) =>
			programRequests.find(
				queries,
				"tenant_id = $1 AND application_id = $2 AND status = 'pending'",
				tenantId,
				applicationId,
			),
		countPending: (tenantId) => programRequests.count(queries, { tenantId, status: "pending" }),
		list({ tenantId, status, q, sort = "newest" }, page) {
			const filter = READ.matching({ tenantId }).maybe("r.status = ?", status).contains(["lower(r.url)"], q);
			const select = { columns: COLUMNS, from: FROM, order: ORDER[sort], filter };
			return listPage<NameRow, ReviewedProgramRequest>(queries, select, page, toReviewed);
		},
		decide: (tenantId, id, review) =>
			programRequests.updateReturning(
				queries,
				{ ...review, updatedAtMs: review.reviewedAtMs },
				{ id, tenantId, status: "pending" },
			),
		replaceDocument: (id, document, nowMs) =>
			programRequests.updateOne(queries, { document, updatedAtMs: nowMs }, { id, status: "pending" }),
		async withdrawChange(tenantId, applicationId, nowMs) {
			await programRequests.update(
				queries,
				{ status: "withdrawn", updatedAtMs: nowMs },
				{ tenantId, applicationId, status: "pending" },
			);
		},
		async join(asker) {
			const { requestId, tenantId } = asker;
			// Lock the request, so that a decision cannot miss this person.
			if ((await programRequests.lock(queries, { id: requestId, tenantId, status: "pending" })) === 0)
				return false;
			return await programAskers.insertUnlessTaken(queries, asker);
		},
		async listAskers(tenantId, requestId) {
			const rows = await queries.all<{ readonly username: string }>(
				`SELECT ${ASKER.columns}, u.username FROM program_askers k
				 JOIN users u ON u.id = k.user_id AND u.tenant_id = k.tenant_id
				 WHERE k.request_id = $1 AND k.tenant_id = $2 ORDER BY k.created_at, k.user_id`,
				requestId,
				tenantId,
			);
			return rows.map((row): NamedAsker => ({ ...ASKER.read(row), username: row.username }));
		},
	};
}

interface NameRow {
	readonly reviewedByName: string | null;
}

function toReviewed(row: NameRow): ReviewedProgramRequest {
	return { ...READ.read(row), reviewedByName: row.reviewedByName };
}
