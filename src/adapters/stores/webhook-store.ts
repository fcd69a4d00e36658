// Webhooks in SQL.

import { WEBHOOK_RECENT_MS, type WebhookChanges, type WebhookStore } from "../../domain/webhook.ts";
import type { Queries } from "../sql/queries.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import { webhooks, webhooksWithSecrets } from "../sql/tables/record-tables.ts";

const failing = webhooks.pick("id", "url", "lastDeliveredAtMs");

/** SET reads the old values of the row, so the current secret becomes the previous one. */
const ROTATE_SECRET = `UPDATE webhooks SET previous_secret_expires_at = $3,
	previous_secret_sealed = CASE WHEN CAST($3 AS BIGINT) IS NULL THEN NULL ELSE secret_sealed END,
	secret_sealed = $4, secret_hint = $5, secret_created_at = $6, updated_at = $6
	WHERE id = $1 AND tenant_id = $2`;

const NEWEST_FIRST = "ORDER BY created_at DESC, id DESC";

const IS_RECENT = `recent_since > CAST($2 AS BIGINT) - ${WEBHOOK_RECENT_MS}`;
/** Counts one more; older ones weigh half. */
const counted = (column: string, more: 0 | 1) => `${column} = CASE WHEN ${IS_RECENT} THEN ${column} + ${more}
	WHEN recent_since > CAST($2 AS BIGINT) - ${2 * WEBHOOK_RECENT_MS} THEN ${column} / 2 + ${more} ELSE ${more} END`;
const noted = (changes: string, failures: 0 | 1) => `UPDATE webhooks SET ${changes},
	${counted("recent_attempts", 1)}, ${counted("recent_failures", failures)},
	recent_since = CASE WHEN ${IS_RECENT} THEN recent_since ELSE CAST($2 AS BIGINT) END WHERE id = $1`;
const NOTE_DELIVERED = noted("failing_since = NULL, last_delivered_at = $2", 0);
const NOTE_FAILING = noted("failing_since = COALESCE(failing_since, $2)", 1);

export function createWebhookStore(queries: Queries): WebhookStore {
	return {
		async insert(webhook, max) {
			const { tenantId } = webhook;
			// Lock the tenant, so that two inserts cannot count the same webhooks.
			await tenants.lock(queries, { id: tenantId });
			if ((await webhooks.count(queries, { tenantId })) >= max) return false;
			await webhooksWithSecrets.insert(queries, webhook);
			return true;
		},
		findById: (tenantId, id) => webhooksWithSecrets.find(queries, { id, tenantId }),
		listAll: ({ tenantId, status }) =>
			status === undefined
				? webhooks.all(queries, `tenant_id = $1 ${NEWEST_FIRST}`, tenantId)
				: webhooks.all(queries, `tenant_id = $1 AND status = $2 ${NEWEST_FIRST}`, tenantId, status),
		update: (tenantId, id, changes, nowMs) =>
			webhooks.updateOne(
				queries,
				{ ...changes, ...changesOfStatus(changes), updatedAtMs: nowMs },
				{ id, tenantId },
			),
		async rotateSecret(tenantId, id, secret) {
			const { previousSecretExpiresAtMs, secretSealed, secretHint, secretCreatedAtMs } = secret;
			const values = [previousSecretExpiresAtMs, secretSealed, secretHint, secretCreatedAtMs];
			return (await queries.run(ROTATE_SECRET, id, tenantId, ...values)) === 1;
		},
		remove: (tenantId, id) => webhooks.deleteOne(queries, { id, tenantId }),
		async noteDelivered(id, nowMs) {
			await queries.run(NOTE_DELIVERED, id, nowMs);
		},
		noteFailing: (id, nowMs) => failing.returning(queries, NOTE_FAILING, id, nowMs),
		disable: (id, disabledReason, nowMs) =>
			webhooks.updateOne(
				queries,
				{ status: "disabled", disabledReason, updatedAtMs: nowMs },
				{ id, status: "active" },
			),
	};
}

function changesOfStatus({ status }: WebhookChanges): Parameters<typeof webhooks.update>[1] {
	if (status === undefined) return {};
	if (status === "disabled") return { disabledReason: "admin" };
	return {
		disabledReason: "",
		failingSinceMs: null,
		recentSinceMs: null,
		recentAttempts: 0,
		recentFailures: 0,
	};
}
