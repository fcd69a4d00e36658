// Access requests in SQL: who wins a race is decided by the unique index and by conditional UPDATEs.

import type {
	AccessRequest,
	AccessRequestStatus,
	AccessRequestStore,
	Review,
} from "../../features/access-requests/model.ts";
import type { Locale } from "../../features/mail/model.ts";
import { totalOf } from "./counted-tables.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";

interface AccessRequestRow {
	id: string;
	tenant_id: string;
	applicant_name: string;
	email: string;
	company: string;
	project_name: string;
	purpose: string;
	locale: string;
	status: AccessRequestStatus;
	review_note: string;
	reviewed_by: string | null;
	reviewed_at: number | null;
	api_client_id: string | null;
	created_at: number;
	updated_at: number;
}

const COLUMNS =
	"id, tenant_id, applicant_name, email, company, project_name, purpose, locale, status, review_note, reviewed_by, reviewed_at, api_client_id, created_at, updated_at";
const SEARCHED = ["applicant_name", "email", "company", "project_name"];

export function createAccessRequestStore(queries: Queries): AccessRequestStore {
	return {
		insert: (request) => insert(queries, request),
		async findById(tenantId, id) {
			const row = await queries.one<AccessRequestRow>(
				`SELECT ${COLUMNS} FROM access_requests WHERE id = $1 AND tenant_id = $2`,
				id,
				tenantId,
			);
			return row && toAccessRequest(row);
		},
		list({ tenantId, status, q }, page) {
			const filter = new Filter()
				.add("tenant_id = ?", tenantId)
				.maybe("status = ?", status)
				.contains(SEARCHED, q);
			const order = "created_at DESC, id DESC";
			const total = q ? undefined : totalOf("access_requests", tenantId, status);
			return listPage<AccessRequestRow, AccessRequest>(
				queries,
				{ columns: COLUMNS, from: "access_requests", order, filter, total },
				page,
				toAccessRequest,
			);
		},
		decide: (tenantId, id, review) => decide(queries, tenantId, id, review),
		async withdraw(withdrawDigest, nowMs) {
			const row = await queries.one<AccessRequestRow>(
				`UPDATE access_requests SET status = 'withdrawn', updated_at = $2
				 WHERE withdraw_digest = $1 AND status = 'pending' RETURNING ${COLUMNS}`,
				withdrawDigest,
				nowMs,
			);
			return row && toAccessRequest(row);
		},
		async replaceClaim(tenantId, id, claimDigest, claimExpiresAtMs, nowMs) {
			const row = await queries.one<AccessRequestRow>(
				`UPDATE access_requests SET claim_digest = $3, claim_expires_at = $4, updated_at = $5
				 WHERE id = $1 AND tenant_id = $2 AND status = 'approved' AND claimed_at IS NULL RETURNING ${COLUMNS}`,
				id,
				tenantId,
				claimDigest,
				claimExpiresAtMs,
				nowMs,
			);
			return row && toAccessRequest(row);
		},
		async consumeClaim(claimDigest, nowMs) {
			const row = await queries.one<AccessRequestRow>(
				`UPDATE access_requests SET claim_digest = NULL, claimed_at = $2, updated_at = $2
				 WHERE claim_digest = $1 AND claim_expires_at > $2 AND claimed_at IS NULL RETURNING ${COLUMNS}`,
				claimDigest,
				nowMs,
			);
			return row && toAccessRequest(row);
		},
	};
}

async function insert(
	queries: Queries,
	request: AccessRequest & { readonly withdrawDigest: string },
): Promise<boolean> {
	const changed = await queries.run(
		`INSERT INTO access_requests (${COLUMNS}, withdraw_digest)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING`,
		request.id,
		request.tenantId,
		request.applicantName,
		request.email,
		request.company,
		request.projectName,
		request.purpose,
		request.locale,
		request.status,
		request.reviewNote,
		request.reviewedBy,
		request.reviewedAtMs,
		request.apiClientId,
		request.createdAtMs,
		request.updatedAtMs,
		request.withdrawDigest,
	);
	return changed === 1;
}

async function decide(
	queries: Queries,
	tenantId: string,
	id: string,
	review: Review,
): Promise<AccessRequest | undefined> {
	const row = await queries.one<AccessRequestRow>(
		`UPDATE access_requests SET status = $3, review_note = $4, reviewed_by = $5, reviewed_at = $6, updated_at = $6,
		   api_client_id = $7, claim_digest = $8, claim_expires_at = $9
		 WHERE id = $1 AND tenant_id = $2 AND status = 'pending' RETURNING ${COLUMNS}`,
		id,
		tenantId,
		review.status,
		review.reviewNote,
		review.reviewedBy,
		review.reviewedAtMs,
		review.approval?.apiClientId ?? null,
		review.approval?.claimDigest ?? null,
		review.approval?.claimExpiresAtMs ?? null,
	);
	return row && toAccessRequest(row);
}

function toAccessRequest(row: AccessRequestRow): AccessRequest {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		applicantName: row.applicant_name,
		email: row.email,
		company: row.company,
		projectName: row.project_name,
		purpose: row.purpose,
		locale: row.locale as Locale,
		status: row.status,
		reviewNote: row.review_note,
		reviewedBy: row.reviewed_by,
		reviewedAtMs: row.reviewed_at,
		apiClientId: row.api_client_id,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}
