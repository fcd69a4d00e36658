// Webhook deliveries in SQL: queued with their audit event, claimed, and finished.

import type { AuditEntry } from "../../domain/audit.ts";
import {
	areWebhookAttempts,
	type ClaimedWebhookDelivery,
	type DeliveryBacklog,
	type DueWebhook,
	NO_BACKLOG,
	WEBHOOK_GIVE_UP_MS,
	WEBHOOK_HISTORY_MAX,
	type WebhookAttempt,
	type WebhookDeliveryStore,
} from "../../domain/webhook-delivery.ts";
import {
	findWebhookEventType,
	WEBHOOK_TEST_TYPE,
	type WebhookEventType,
	webhookPayload,
} from "../../domain/webhook-event.ts";
import { parseJson } from "../../kernel/shape.ts";
import type { Queries } from "../sql/queries.ts";
import {
	storedWebhookDeliveries,
	webhookDeliveries,
	webhooksWithSecrets,
} from "../sql/tables/record-tables.ts";

const ERROR_MAX = 500;
const IS_DUE = `status = 'active' AND EXISTS (SELECT 1 FROM webhook_deliveries
	WHERE webhook_id = webhooks.id AND status = 'pending' AND next_attempt_at <= $1)`;

const dueWebhooks = webhooksWithSecrets.pick(
	"id",
	"url",
	"secretSealed",
	"previousSecretSealed",
	"previousSecretExpiresAtMs",
	"failingSinceMs",
);
const claimed = storedWebhookDeliveries.pick(
	"id",
	"webhookId",
	"tenantId",
	"eventType",
	"payload",
	"attempts",
	"roundAttempts",
	"giveUpAtMs",
	"history",
);
const deliveriesWithHistory = storedWebhookDeliveries.without("roundAttempts", "giveUpAtMs");

const QUEUE = `INSERT INTO webhook_deliveries (webhook_id, id, tenant_id, event_type, payload, status, attempts, round_attempts,
	  next_attempt_at, give_up_at, last_error, created_at)
	SELECT id, CAST($2 AS TEXT), tenant_id, CAST($3 AS TEXT), CAST($4 AS TEXT), 'pending', 0, 0,
	  CAST($5 AS BIGINT), CAST($6 AS BIGINT), '', CAST($5 AS BIGINT)
	FROM webhooks WHERE tenant_id = $1 AND status = 'active'
	  AND (event_types LIKE CAST($7 AS TEXT) ESCAPE '\\' OR event_types LIKE CAST($8 AS TEXT) ESCAPE '\\')`;
/** After a wait for another node, only the outer conditions are evaluated again, so they are repeated. */
const CLAIM = `UPDATE webhook_deliveries SET next_attempt_at = $3, attempts = attempts + 1, round_attempts = round_attempts + 1
	WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at <= $2 AND id IN
	  (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at <= $2
	   ORDER BY next_attempt_at, id LIMIT $4)
	RETURNING ${claimed.columns}`;

/** The status is text: the planner cannot use the partial index with a parameter. A replay renews `give_up_at`, not `created_at`. */
const BACKLOG = `SELECT count(*) AS waiting, min(give_up_at) - ${WEBHOOK_GIVE_UP_MS} AS "oldestAtMs", min(next_attempt_at) AS "nextAtMs"
	FROM webhook_deliveries WHERE status = 'pending'`;

/** A delivery to every active webhook of the tenant that subscribes to its type. `id` is that of the audit event. */
export interface EventDelivery {
	readonly id: string;
	readonly tenantId: string;
	readonly type: WebhookEventType;
	readonly payload: string;
	readonly atMs: number;
	readonly giveUpAtMs: number;
}

/** Undefined for an event that webhooks do not receive. */
export function deliveryOf(entry: AuditEntry, id: string, atMs: number): EventDelivery | undefined {
	const type = findWebhookEventType(entry.action);
	if (type === undefined) return undefined;
	const payload = webhookPayload(type, entry, atMs);
	return { id, tenantId: entry.tenantId, type, payload, atMs, giveUpAtMs: atMs + WEBHOOK_GIVE_UP_MS };
}

/** One statement, in the transaction of the audit event. */
export async function queueWebhookDeliveries(
	queries: Queries,
	{ id, tenantId, type, payload, atMs, giveUpAtMs }: EventDelivery,
): Promise<void> {
	const group = `${type.slice(0, type.indexOf("."))}.*`;
	await queries.run(QUEUE, tenantId, id, type, payload, atMs, giveUpAtMs, listed(type), listed(group));
}

function listed(type: string): string {
	return `%,${type.replaceAll("_", "\\_")},%`;
}

export function createWebhookDeliveryStore(queries: Queries): WebhookDeliveryStore {
	return {
		backlog: async () => (await queries.one<DeliveryBacklog>(BACKLOG)) ?? NO_BACKLOG,
		findById: (tenantId, webhookId, id) => deliveriesWithHistory.find(queries, { webhookId, id, tenantId }),
		list({ tenantId, webhookId, status, eventType, fromMs, toMs }, page) {
			const filter = webhookDeliveries
				.matching({ webhookId, tenantId })
				.maybe("status = ?", status)
				.maybe("event_type = ?", eventType)
				.maybe("created_at >= ?", fromMs)
				.maybe("created_at < ?", toMs);
			// The only index of the webhook's deliveries has their order.
			if (status !== undefined || eventType !== undefined) filter.separately();
			return webhookDeliveries.list(queries, { filter }, page);
		},
		queue: (delivery) =>
			storedWebhookDeliveries.insert(queries, {
				...delivery,
				status: "pending",
				attempts: 0,
				roundAttempts: 0,
				nextAttemptAtMs: delivery.createdAtMs,
				giveUpAtMs: delivery.createdAtMs + WEBHOOK_GIVE_UP_MS,
				lastAttemptAtMs: null,
				lastStatusCode: null,
				lastError: "",
				finishedAtMs: null,
				history: [],
			}),
		replay: (tenantId, webhookId, id, nowMs) =>
			storedWebhookDeliveries.updateOne(queries, dueAgain(nowMs), { webhookId, id, tenantId }),
		replayFailed({ tenantId, webhookId, eventType }, nowMs, limit) {
			const is = eventType === undefined ? "<>" : "=";
			const failed = `webhook_id = $1 AND tenant_id = $2 AND status = 'failed' AND event_type ${is} $4`;
			return storedWebhookDeliveries.update(
				queries,
				dueAgain(nowMs),
				`${failed} AND id IN (SELECT id FROM webhook_deliveries WHERE ${failed} ORDER BY created_at, id LIMIT $3)`,
				...[webhookId, tenantId, limit, eventType ?? WEBHOOK_TEST_TYPE],
			);
		},
		failPending: (webhookId, nowMs, error) =>
			webhookDeliveries.update(
				queries,
				{ status: "failed", lastError: error, finishedAtMs: nowMs },
				// As text: the planner cannot use the partial index over pending deliveries with a parameter.
				"webhook_id = $1 AND status = 'pending'",
				webhookId,
			),
		async listDue(nowMs) {
			const rows = await dueWebhooks.all(queries, IS_DUE, nowMs);
			return rows.map(
				({ failingSinceMs, ...webhook }): DueWebhook => ({ ...webhook, isFailing: failingSinceMs !== null }),
			);
		},
		claim: (webhookId, nowMs, limit, leaseMs) =>
			queries.all<ClaimedWebhookDelivery>(CLAIM, webhookId, nowMs, nowMs + leaseMs, limit),
		finish: (delivery, status, attempt) =>
			recordAttempt(queries, delivery, attempt, { status, finishedAtMs: attempt.atMs }),
		retry: (delivery, nextAttemptAtMs, attempt) =>
			recordAttempt(queries, delivery, attempt, { nextAttemptAtMs }),
		purge: (finishedBeforeMs, limit) =>
			webhookDeliveries.purge(queries, "finished_at < $1 ORDER BY finished_at", finishedBeforeMs, limit),
	};
}

/** For a replay, with the full schedule of attempts. */
function dueAgain(nowMs: number) {
	return {
		status: "pending",
		roundAttempts: 0,
		nextAttemptAtMs: nowMs,
		giveUpAtMs: nowMs + WEBHOOK_GIVE_UP_MS,
		finishedAtMs: null,
	} as const;
}

/** False if another node has claimed the delivery in the meantime, or it is no longer pending. */
function recordAttempt(
	queries: Queries,
	{ webhookId, id, attempts, history }: ClaimedWebhookDelivery,
	attempt: WebhookAttempt,
	changes: Parameters<typeof storedWebhookDeliveries.update>[1],
): Promise<boolean> {
	const { atMs: lastAttemptAtMs, statusCode: lastStatusCode } = attempt;
	const error = attempt.error.slice(0, ERROR_MAX);
	const earlier = parseJson(areWebhookAttempts, history);
	return storedWebhookDeliveries.updateOne(
		queries,
		{
			...changes,
			lastAttemptAtMs,
			lastStatusCode,
			lastError: error,
			history: [...earlier, { ...attempt, error }].slice(-WEBHOOK_HISTORY_MAX),
		},
		{ webhookId, id, attempts, status: "pending" },
	);
}
