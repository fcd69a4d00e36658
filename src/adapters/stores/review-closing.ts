// The end of a review: what is kept or ended, and who is mailed before. Nodes share the work by conditional UPDATEs.

import {
	type DueNotice,
	type OpenReviews,
	PARTNER_NOTICE_MS,
	REMINDER_MS,
	REVIEWS_KEPT_MS,
	type ReviewStore,
} from "../../domain/review.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { reviewItems, reviews, storedReviewItems } from "../sql/tables/access-tables.ts";

const NOTICE = `SELECT i.id, i.tenant_id AS "tenantId", i.review_id AS "reviewId", i.subject_id AS "subjectId",
	i.subject_name AS "subjectName", v.due_at AS "dueAtMs", r.applicant_name AS name, r.email, r.locale
	FROM reviews v JOIN review_items i ON i.review_id = v.id AND i.notice_due = 1 AND i.state <> 'kept'
	JOIN api_clients c ON c.id = i.subject_id JOIN requests r ON r.id = c.access_request_id
	WHERE v.status = 'open' AND v.due_at > $1 AND v.due_at <= $2 ORDER BY v.due_at, i.id LIMIT $3`;
const OPEN = `SELECT count(*) AS open, COALESCE(sum(CASE WHEN due_at <= $1 THEN 1 ELSE 0 END), 0) AS overdue,
	COALESCE(sum(kept + ended), 0) AS decided, COALESCE(sum(total - kept - ended), 0) AS undecided
	FROM reviews WHERE status IN ('open', 'closing')`;
const OVER = "status = 'closed' AND closed_at <= $1";

export function createReviewClosing(queries: Queries) {
	return {
		beginClosing: ({ id, tenantId }, nowMs) =>
			reviews.updateOne(queries, { status: "closing", updatedAtMs: nowMs }, { id, tenantId, status: "open" }),
		noteClosing: ({ id, tenantId }, closeAuditId) =>
			reviews.updateOne(queries, { closeAuditId }, { id, tenantId }),
		listDue: (nowMs) => reviews.all(queries, "status = 'open' AND due_at <= $1", nowMs),
		listClosing: () => reviews.all(queries, "status = 'closing'"),
		async keepUnanswered({ id, tenantId, closeAuditId }, limit, nowMs) {
			const kept = await queries.run(
				`UPDATE review_items SET state = 'kept', decided_at = $3, audit_id = $4 WHERE id IN (
					SELECT id FROM review_items WHERE review_id = $1 AND state = 'open' ORDER BY id LIMIT $5 FOR UPDATE SKIP LOCKED)
				 AND tenant_id = $2`,
				id,
				tenantId,
				nowMs,
				closeAuditId,
				limit,
			);
			if (kept > 0)
				await queries.run(
					"UPDATE reviews SET kept = kept + $3 WHERE id = $1 AND tenant_id = $2",
					id,
					tenantId,
					kept,
				);
			return kept;
		},
		async claimEnding({ id, tenantId, unanswered }, nowMs) {
			const states = unanswered === "end" ? "state <> 'kept'" : "state = 'ended'";
			const chosen = `SELECT id FROM review_items WHERE review_id = $1 AND applied_at IS NULL AND state <> 'kept'
				AND ${states} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`;
			const [row] = await queries.all<object>(
				statement(
					`UPDATE review_items SET applied_at = $3 WHERE id = (${chosen}) AND tenant_id = $2 RETURNING ${reviewItems.columns}`,
					{ isWrite: true },
				),
				id,
				tenantId,
				nowMs,
			);
			return row && reviewItems.read(row);
		},
		findKept: ({ id, tenantId }, subjectId) =>
			reviewItems.all(
				queries,
				"review_id = $1 AND tenant_id = $2 AND subject_id = $3 AND state = 'kept'",
				id,
				tenantId,
				subjectId,
			),
		async noteEnding({ id, tenantId, reviewId, state }, changes) {
			await reviewItems.update(queries, changes, { id, tenantId });
			if (state === "open")
				await queries.run(
					"UPDATE reviews SET ended = ended + 1 WHERE id = $1 AND tenant_id = $2",
					reviewId,
					tenantId,
				);
		},
		async finishClosing({ id, tenantId }, nowMs) {
			const sql = `UPDATE reviews SET status = 'closed', closed_at = $3, updated_at = $3
				WHERE id = $1 AND tenant_id = $2 AND status = 'closing' AND NOT EXISTS (
					SELECT 1 FROM review_items i WHERE i.review_id = $1 AND i.applied_at IS NULL AND i.state <> 'kept')`;
			return (await queries.run(sql, id, tenantId, nowMs)) === 1;
		},
		async listNotices(nowMs, limit) {
			type Row = Omit<DueNotice, "owner"> & DueNotice["owner"];
			const rows = await queries.all<Row>(NOTICE, nowMs, nowMs + PARTNER_NOTICE_MS, limit);
			return rows.map(({ name, email, locale, ...row }) => ({ ...row, owner: { name, email, locale } }));
		},
		claimNotice: ({ id, tenantId }, answerDigest, nowMs) =>
			storedReviewItems.updateOne(
				queries,
				{ noticeDue: false, noticedAtMs: nowMs, answerDigest },
				"id = $1 AND tenant_id = $2 AND notice_due = 1 AND state <> 'kept'",
				id,
				tenantId,
			),
		listReminders: (nowMs) =>
			reviews.all(
				queries,
				"status = 'open' AND due_at > $1 AND due_at <= $2 AND reminded_at IS NULL AND total > kept + ended",
				nowMs,
				nowMs + REMINDER_MS,
			),
		claimReminder: ({ id, tenantId }, nowMs) =>
			reviews.updateOne(
				queries,
				{ remindedAtMs: nowMs },
				{ id, tenantId, remindedAtMs: null, status: "open" },
			),
		async countOpen(nowMs) {
			const counted = await queries.one<OpenReviews>(OPEN, nowMs);
			return counted ?? { open: 0, overdue: 0, decided: 0, undecided: 0 };
		},
		async purge(nowMs, limit) {
			const before = nowMs - REVIEWS_KEPT_MS;
			const ofOver = `review_id IN (SELECT id FROM reviews WHERE ${OVER})`;
			const deleted = await storedReviewItems.purge(queries, ofOver, before, limit);
			const isEmpty = "NOT EXISTS (SELECT 1 FROM review_items i WHERE i.review_id = reviews.id)";
			return deleted + (await reviews.purge(queries, `${OVER} AND ${isEmpty}`, before, limit - deleted));
		},
	} satisfies Partial<ReviewStore>;
}
