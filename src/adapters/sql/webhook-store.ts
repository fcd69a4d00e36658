// Webhooks in SQL.

import type {
	NewWebhookSecret,
	SealedWebhookSecrets,
	Webhook,
	WebhookChanges,
	WebhookDisabledReason,
	WebhookStatus,
	WebhookStore,
	WebhookSubscription,
} from "../../features/webhooks/model.ts";
import type { Queries, SqlValue } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { setClause } from "./set-clause.ts";

interface WebhookRow {
	id: string;
	tenant_id: string;
	url: string;
	description: string;
	event_types: string;
	status: WebhookStatus;
	disabled_reason: WebhookDisabledReason;
	secret_hint: string;
	secret_created_at: number;
	previous_secret_expires_at: number | null;
	failing_since: number | null;
	last_delivered_at: number | null;
	created_by: string | null;
	created_at: number;
	updated_at: number;
}

type WithSecretsRow = WebhookRow & { secret_sealed: string; previous_secret_sealed: string | null };

const COLUMNS =
	"id, tenant_id, url, description, event_types, status, disabled_reason, secret_hint, secret_created_at, previous_secret_expires_at, failing_since, last_delivered_at, created_by, created_at, updated_at";
const WITH_SECRETS = `${COLUMNS}, secret_sealed, previous_secret_sealed`;

export function createWebhookStore(queries: Queries): WebhookStore {
	return {
		insert: (webhook, max) => insert(queries, webhook, max),
		async findById(tenantId, id) {
			const row = await queries.one<WithSecretsRow>(
				`SELECT ${WITH_SECRETS} FROM webhooks WHERE id = $1 AND tenant_id = $2`,
				id,
				tenantId,
			);
			return row && withSecrets(row);
		},
		list({ tenantId, status }, page) {
			const filter = new Filter().add("tenant_id = ?", tenantId).maybe("status = ?", status);
			return listPage<WebhookRow, Webhook>(
				queries,
				{ columns: COLUMNS, from: "webhooks", order: "created_at DESC, id DESC", filter },
				page,
				toWebhook,
			);
		},
		update: (tenantId, id, changes, nowMs) => update(queries, tenantId, id, changes, nowMs),
		replaceSecret: (tenantId, id, expected, secret, nowMs) =>
			replaceSecret(queries, tenantId, id, expected, secret, nowMs),
		async remove(tenantId, id) {
			return (await queries.run("DELETE FROM webhooks WHERE id = $1 AND tenant_id = $2", id, tenantId)) === 1;
		},
		async noteDelivered(id, nowMs) {
			await queries.run(
				"UPDATE webhooks SET failing_since = NULL, last_delivered_at = $2 WHERE id = $1",
				id,
				nowMs,
			);
		},
		async noteFailing(id, nowMs) {
			const row = await queries.one<{ last_delivered_at: number | null }>(
				"UPDATE webhooks SET failing_since = COALESCE(failing_since, $2) WHERE id = $1 RETURNING last_delivered_at",
				id,
				nowMs,
			);
			return row && { lastDeliveredAtMs: row.last_delivered_at };
		},
		async disable(id, reason, nowMs) {
			const changed = await queries.run(
				"UPDATE webhooks SET status = 'disabled', disabled_reason = $2, updated_at = $3 WHERE id = $1 AND status = 'active'",
				id,
				reason,
				nowMs,
			);
			return changed === 1;
		},
	};
}

/** Inside a transaction: webhooks of one tenant are counted one by one. */
async function insert(
	queries: Queries,
	webhook: Webhook & SealedWebhookSecrets,
	max: number,
): Promise<boolean> {
	const values: SqlValue[] = [
		webhook.id,
		webhook.tenantId,
		webhook.url,
		webhook.description,
		typesText(webhook.eventTypes),
		webhook.status,
		webhook.disabledReason,
		webhook.secretHint,
		webhook.secretCreatedAtMs,
		webhook.createdBy,
		webhook.createdAtMs,
		webhook.updatedAtMs,
		webhook.secretSealed,
	];
	// A bare parameter in a SELECT has no type of its own.
	const typed = values.map(
		(value, index) => `CAST($${index + 1} AS ${typeof value === "number" ? "BIGINT" : "TEXT"})`,
	);
	// Writing the tenant's own row takes its lock on every engine.
	await queries.run("UPDATE tenants SET updated_at = updated_at WHERE id = $1", webhook.tenantId);
	const inserted = await queries.run(
		`INSERT INTO webhooks (id, tenant_id, url, description, event_types, status, disabled_reason, secret_hint,
		   secret_created_at, created_by, created_at, updated_at, secret_sealed)
		 SELECT ${typed.join(", ")} WHERE (SELECT count(*) FROM webhooks WHERE tenant_id = $2) < $${values.length + 1}`,
		...values,
		max,
	);
	return inserted === 1;
}

async function update(
	queries: Queries,
	tenantId: string,
	id: string,
	{ status, ...changes }: WebhookChanges,
	nowMs: number,
): Promise<boolean> {
	const { assignments, values } = setClause(
		{
			url: changes.url,
			description: changes.description,
			event_types: changes.eventTypes && typesText(changes.eventTypes),
			status,
			disabled_reason: status && (status === "active" ? "" : "admin"),
			failing_since: status === "active" ? null : undefined,
			updated_at: nowMs,
		},
		3,
	);
	const sql = `UPDATE webhooks SET ${assignments} WHERE id = $1 AND tenant_id = $2`;
	return (await queries.run(sql, id, tenantId, ...values)) === 1;
}

async function replaceSecret(
	queries: Queries,
	tenantId: string,
	id: string,
	expected: string,
	secret: NewWebhookSecret,
	nowMs: number,
): Promise<boolean> {
	const changed = await queries.run(
		`UPDATE webhooks SET secret_sealed = $4, previous_secret_sealed = $5, previous_secret_expires_at = $6,
		   secret_hint = $7, secret_created_at = $8, updated_at = $9
		 WHERE id = $1 AND tenant_id = $2 AND secret_sealed = $3`,
		id,
		tenantId,
		expected,
		secret.secretSealed,
		secret.previousSecretSealed,
		secret.previousSecretExpiresAtMs,
		secret.secretHint,
		secret.secretCreatedAtMs,
		nowMs,
	);
	return changed === 1;
}

/** `,user.*,grant.created,`: each type stands between commas, so that one LIKE finds it. */
function typesText(types: readonly WebhookSubscription[]): string {
	return `,${types.join(",")},`;
}

function toWebhook(row: WebhookRow): Webhook {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		url: row.url,
		description: row.description,
		eventTypes: row.event_types.slice(1, -1).split(",") as WebhookSubscription[],
		status: row.status,
		disabledReason: row.disabled_reason,
		secretHint: row.secret_hint,
		secretCreatedAtMs: row.secret_created_at,
		previousSecretExpiresAtMs: row.previous_secret_expires_at,
		failingSinceMs: row.failing_since,
		lastDeliveredAtMs: row.last_delivered_at,
		createdBy: row.created_by,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}

function withSecrets(row: WithSecretsRow): Webhook & SealedWebhookSecrets {
	return {
		...toWebhook(row),
		secretSealed: row.secret_sealed,
		previousSecretSealed: row.previous_secret_sealed,
	};
}
