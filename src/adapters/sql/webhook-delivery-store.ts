// Webhook deliveries in SQL: put beside the audit event they tell of, handed out, marked.

import type { AuditEntry } from "../../features/audit/model.ts";
import {
	type AttemptMark,
	type ClaimedWebhookDelivery,
	type DueWebhook,
	findWebhookEventType,
	WEBHOOK_GIVE_UP_MS,
	type WebhookDelivery,
	type WebhookDeliveryStatus,
	type WebhookDeliveryStore,
	type WebhookEventType,
	webhookPayload,
} from "../../features/webhooks/model.ts";
import type { Queries, SqlValue } from "./engine.ts";
import { Filter, listPage } from "./page.ts";

interface DeliveryRow {
	id: string;
	webhook_id: string;
	tenant_id: string;
	event_type: WebhookEventType;
	payload: string;
	status: WebhookDeliveryStatus;
	attempts: number;
	next_attempt_at: number;
	last_attempt_at: number | null;
	last_status_code: number | null;
	last_error: string;
	created_at: number;
	finished_at: number | null;
}

interface ClaimedRow {
	id: string;
	webhook_id: string;
	tenant_id: string;
	event_type: WebhookEventType;
	payload: string;
	attempts: number;
	round_attempts: number;
	give_up_at: number;
}

interface DueRow {
	id: string;
	url: string;
	secret_sealed: string;
	previous_secret_sealed: string | null;
	previous_secret_expires_at: number | null;
	failing_since: number | null;
}

const COLUMNS =
	"id, webhook_id, tenant_id, event_type, payload, status, attempts, next_attempt_at, last_attempt_at, last_status_code, last_error, created_at, finished_at";
const ERROR_MAX = 500;

/**
 * Puts a delivery for each active webhook of the tenant that wants this event: one statement, and none for events
 * that are not public. `eventId` is the audit event's; runs in its transaction.
 */
export async function queueWebhookDeliveries(
	queries: Queries,
	eventId: string,
	entry: AuditEntry,
	atMs: number,
): Promise<void> {
	const type = findWebhookEventType(entry.action);
	if (type === undefined) return;
	const group = `${type.slice(0, type.indexOf("."))}.*`;
	await queries.run(
		`INSERT INTO webhook_deliveries (webhook_id, id, tenant_id, event_type, payload, status, attempts, round_attempts,
		   next_attempt_at, give_up_at, last_error, created_at)
		 SELECT id, CAST($2 AS TEXT), tenant_id, CAST($3 AS TEXT), CAST($4 AS TEXT), 'pending', 0, 0,
		   CAST($5 AS BIGINT), CAST($6 AS BIGINT), '', CAST($5 AS BIGINT)
		 FROM webhooks WHERE tenant_id = $1 AND status = 'active'
		   AND (event_types LIKE CAST($7 AS TEXT) ESCAPE '\\' OR event_types LIKE CAST($8 AS TEXT) ESCAPE '\\')`,
		entry.tenantId,
		eventId,
		type,
		webhookPayload(type, entry, atMs),
		atMs,
		atMs + WEBHOOK_GIVE_UP_MS,
		listed(type),
		listed(group),
	);
}

function listed(type: string): string {
	return `%,${type.replaceAll("_", "\\_")},%`;
}

export function createWebhookDeliveryStore(queries: Queries): WebhookDeliveryStore {
	return {
		async findById(tenantId, webhookId, id) {
			const row = await queries.one<DeliveryRow>(
				`SELECT ${COLUMNS} FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2 AND tenant_id = $3`,
				webhookId,
				id,
				tenantId,
			);
			return row && toDelivery(row);
		},
		list({ tenantId, webhookId, status, eventType }, page) {
			const filter = new Filter()
				.add("webhook_id = ?", webhookId)
				.add("tenant_id = ?", tenantId)
				.maybe("status = ?", status)
				.maybe("event_type = ?", eventType);
			return listPage<DeliveryRow, WebhookDelivery>(
				queries,
				{ columns: COLUMNS, from: "webhook_deliveries", order: "created_at DESC, id DESC", filter },
				page,
				toDelivery,
			);
		},
		async replay(tenantId, webhookId, id, nowMs) {
			const changed = await queries.run(
				`UPDATE webhook_deliveries SET status = 'pending', round_attempts = 0, next_attempt_at = $4, give_up_at = $5, finished_at = NULL
				 WHERE webhook_id = $1 AND id = $2 AND tenant_id = $3`,
				webhookId,
				id,
				tenantId,
				nowMs,
				nowMs + WEBHOOK_GIVE_UP_MS,
			);
			return changed === 1;
		},
		failPending: (webhookId, nowMs, error) =>
			queries.run(
				"UPDATE webhook_deliveries SET status = 'failed', last_error = $2, finished_at = $3 WHERE webhook_id = $1 AND status = 'pending'",
				webhookId,
				error,
				nowMs,
			),
		listDue: (nowMs) => listDue(queries, nowMs),
		claim: (webhookId, nowMs, limit, leaseMs) => claim(queries, webhookId, nowMs, limit, leaseMs),
		finish: (claimed, status, mark) =>
			settle(queries, claimed, mark, "status = $7, finished_at = $4", [status]),
		retry: (claimed, nextAttemptAtMs, mark) =>
			settle(queries, claimed, mark, "next_attempt_at = $7", [nextAttemptAtMs]),
		purge: (finishedBeforeMs, limit) =>
			queries.run(
				`DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN
				 (SELECT webhook_id, id FROM webhook_deliveries WHERE finished_at < $1 ORDER BY finished_at LIMIT $2)`,
				finishedBeforeMs,
				limit,
			),
	};
}

async function listDue(queries: Queries, nowMs: number): Promise<DueWebhook[]> {
	const rows = await queries.all<DueRow>(
		`SELECT id, url, secret_sealed, previous_secret_sealed, previous_secret_expires_at, failing_since FROM webhooks
		 WHERE status = 'active' AND EXISTS (SELECT 1 FROM webhook_deliveries
		   WHERE webhook_id = webhooks.id AND status = 'pending' AND next_attempt_at <= $1)`,
		nowMs,
	);
	return rows.map((row) => ({
		id: row.id,
		url: row.url,
		secretSealed: row.secret_sealed,
		previousSecretSealed: row.previous_secret_sealed,
		previousSecretExpiresAtMs: row.previous_secret_expires_at,
		isFailing: row.failing_since !== null,
	}));
}

async function claim(
	queries: Queries,
	webhookId: string,
	nowMs: number,
	limit: number,
	leaseMs: number,
): Promise<ClaimedWebhookDelivery[]> {
	// The outer conditions are asked again of a row for which another node was waited for; the inner ones are not.
	const rows = await queries.all<ClaimedRow>(
		`UPDATE webhook_deliveries SET next_attempt_at = $3, attempts = attempts + 1, round_attempts = round_attempts + 1
		 WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at <= $2 AND id IN
		   (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at <= $2
		    ORDER BY next_attempt_at, id LIMIT $4)
		 RETURNING id, webhook_id, tenant_id, event_type, payload, attempts, round_attempts, give_up_at`,
		webhookId,
		nowMs,
		nowMs + leaseMs,
		limit,
	);
	return rows.map((row) => ({
		id: row.id,
		webhookId: row.webhook_id,
		tenantId: row.tenant_id,
		eventType: row.event_type,
		payload: row.payload,
		attempts: row.attempts,
		roundAttempts: row.round_attempts,
		giveUpAtMs: row.give_up_at,
	}));
}

/** `set` writes its parameters from `$7` on. */
async function settle(
	queries: Queries,
	{ webhookId, id, attempts }: ClaimedWebhookDelivery,
	{ atMs, statusCode, error }: AttemptMark,
	set: string,
	values: readonly SqlValue[],
): Promise<boolean> {
	const changed = await queries.run(
		`UPDATE webhook_deliveries SET last_attempt_at = $4, last_status_code = $5, last_error = $6, ${set}
		 WHERE webhook_id = $1 AND id = $2 AND attempts = $3 AND status = 'pending'`,
		webhookId,
		id,
		attempts,
		atMs,
		statusCode,
		error.slice(0, ERROR_MAX),
		...values,
	);
	return changed === 1;
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
	return {
		id: row.id,
		webhookId: row.webhook_id,
		tenantId: row.tenant_id,
		eventType: row.event_type,
		payload: row.payload,
		status: row.status,
		attempts: row.attempts,
		nextAttemptAtMs: row.next_attempt_at,
		lastAttemptAtMs: row.last_attempt_at,
		lastStatusCode: row.last_status_code,
		lastError: row.last_error,
		createdAtMs: row.created_at,
		finishedAtMs: row.finished_at,
	};
}
