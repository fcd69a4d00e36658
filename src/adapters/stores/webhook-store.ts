// Webhooks in SQL.

import type { WebhookChanges, WebhookStore } from "../../domain/webhook.ts";
import type { Queries } from "../sql/queries.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import { webhooks, webhooksWithSecrets } from "../sql/tables/record-tables.ts";

const failing = webhooks.pick("id", "url", "lastDeliveredAtMs");

/** SET reads the old values of the row, so the current secret becomes the previous one. */
const ROTATE_SECRET = `UPDATE webhooks SET previous_secret_expires_at = $3,
	previous_secret_sealed = CASE WHEN CAST($3 AS BIGINT) IS NULL THEN NULL ELSE secret_sealed END,
	secret_sealed = $4, secret_hint = $5, secret_created_at = $6, updated_at = $6
	WHERE id = $1 AND tenant_id = $2`;

/** As `isFailing`. A tenant has few webhooks. */
const FAILING_FIRST = `CASE WHEN disabled_reason IN ('failing', 'gone') OR (status = 'active' AND failing_since IS NOT NULL)
	THEN 0 ELSE 1 END ASC, created_at DESC, id DESC`;

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
		list({ tenantId, status }, page) {
			const filter = webhooks.matching({ tenantId }).maybe("status = ?", status);
			return webhooks.list(queries, { filter, order: FAILING_FIRST }, page);
		},
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
			await webhooks.update(queries, { failingSinceMs: null, lastDeliveredAtMs: nowMs }, { id });
		},
		noteFailing: (id, nowMs) =>
			failing.returning(
				queries,
				"UPDATE webhooks SET failing_since = COALESCE(failing_since, $2) WHERE id = $1",
				id,
				nowMs,
			),
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
	return status === "active" ? { disabledReason: "", failingSinceMs: null } : { disabledReason: "admin" };
}
