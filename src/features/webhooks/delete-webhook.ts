// Deletes a webhook with all its deliveries.

import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { hostOf } from "./create-webhook.ts";
import { type WebhookStore, webhookNotFound } from "./model.ts";

export interface DeleteWebhookDeps {
	readonly db: Persistence<{ webhooks: WebhookStore; audit: AuditLog }>;
}

/** @throws AppError `webhook.not_found`. */
export async function deleteWebhook(
	{ db }: DeleteWebhookDeps,
	id: string,
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ webhooks, audit }) => {
		const before = await webhooks.findById(tenantId, id);
		const removed = await webhooks.remove(tenantId, id);
		if (before === undefined || !removed) throw webhookNotFound();
		await audit.append({
			tenantId,
			actor,
			action: "webhook.deleted",
			target: `webhook:${id}`,
			origin,
			details: { host: hostOf(before.url) },
		});
	});
}
