// Changes a webhook: where it goes, what it is told, and whether at all.

import { differences, type Patch, wireNames } from "../../kernel/changes.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { hostOf, sortSubscriptions } from "./create-webhook.ts";
import {
	type Webhook,
	type WebhookChanges,
	type WebhookDeliveryStore,
	type WebhookStore,
	webhookNotFound,
} from "./model.ts";
import { parseTargetUrl } from "./target-url.ts";

export interface UpdateWebhookDeps {
	readonly db: Persistence<{
		webhooks: WebhookStore;
		webhookDeliveries: WebhookDeliveryStore;
		audit: AuditLog;
	}>;
	readonly clock: Clock;
	readonly isAllowedAddress: (ip: IpAddress) => boolean;
}

/**
 * A patch that changes nothing writes nothing. Disabling gives up what waits (it can be replayed once the webhook is
 * active again); events in the meantime are not kept for it. A new URL also gets what waits for the old one.
 *
 * @throws AppError `request.invalid` (`url`, `event_types`), `webhook.not_found`.
 */
export async function updateWebhook(
	{ db, clock, isAllowedAddress }: UpdateWebhookDeps,
	id: string,
	patch: Patch<WebhookChanges>,
	{ tenantId, actor, origin }: AdminContext,
): Promise<Webhook> {
	const now = clock();
	const wanted = {
		...patch,
		url: patch.url === undefined ? undefined : parseTargetUrl(patch.url, isAllowedAddress),
		eventTypes: patch.eventTypes && sortSubscriptions(patch.eventTypes),
	};
	return db.transaction(async ({ webhooks, webhookDeliveries, audit }) => {
		const before = await webhooks.findById(tenantId, id);
		if (before === undefined) throw webhookNotFound();
		const changes = differences<WebhookChanges>(before, wanted);
		if (Object.keys(changes).length === 0) return before;
		if (!(await webhooks.update(tenantId, id, changes, now))) throw webhookNotFound();
		if (changes.status === "disabled")
			await webhookDeliveries.failPending(id, now, "the webhook was disabled");
		await audit.append({
			tenantId,
			actor,
			action: "webhook.updated",
			target: `webhook:${id}`,
			origin,
			details: {
				fields: wireNames(changes),
				...(changes.url && { host: hostOf(changes.url) }),
				...(changes.eventTypes && { event_types: changes.eventTypes }),
				...(changes.status && { status: changes.status }),
			},
		});
		const after = await webhooks.findById(tenantId, id);
		if (after === undefined) throw webhookNotFound();
		return after;
	});
}
