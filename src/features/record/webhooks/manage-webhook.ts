// Creates, updates and deletes webhooks.

import type { Caller } from "../../../domain/caller.ts";
import { WEBHOOKS_MAX, type Webhook, type WebhookChanges, webhookNotFound } from "../../../domain/webhook.ts";
import { WEBHOOK_SUBSCRIPTIONS, type WebhookSubscription } from "../../../domain/webhook-event.ts";
import { changeDetails, differences, fieldChanges, type Patch } from "../../../kernel/changes.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { hostOf, parseTargetUrl, webhookTarget } from "./target-url.ts";
import { issueWebhookSecret } from "./webhook-secret.ts";

type Needed = Needs<"webhooks" | "webhookDeliveries" | "audit", "clock" | "isWebhookAddress">;

/**
 * Creates a webhook. Its secret is returned here and never again.
 *
 * @throws AppError `request.invalid` (`url`, `event_types`), `webhook.too_many`.
 */
export async function createWebhook(
	{ db, secretBox, clock, isWebhookAddress }: Needed & Needs<never, "secretBox">,
	{ url, description, eventTypes }: Pick<Webhook, "url" | "description" | "eventTypes">,
	caller: Caller,
): Promise<{ readonly webhook: Webhook; readonly secretPlain: string }> {
	const now = clock();
	const id = newId(now);
	const { secretPlain, secretSealed, secretHint } = issueWebhookSecret(secretBox, id);
	const webhook: Webhook = {
		id,
		tenantId: caller.tenantId,
		url: parseTargetUrl(url, isWebhookAddress),
		description,
		eventTypes: sortSubscriptions(eventTypes),
		status: "active",
		disabledReason: "",
		secretHint,
		secretCreatedAtMs: now,
		previousSecretExpiresAtMs: null,
		failingSinceMs: null,
		recentSinceMs: null,
		recentAttempts: 0,
		recentFailures: 0,
		lastDeliveredAtMs: null,
		createdBy: caller.userId,
		managedBy: null,
		createdAtMs: now,
		updatedAtMs: now,
	};
	await db.transaction(async ({ webhooks, audit }) => {
		if (!(await webhooks.insert({ ...webhook, secretSealed, previousSecretSealed: null }, WEBHOOKS_MAX)))
			throw new AppError("webhook.too_many", `a tenant has at most ${WEBHOOKS_MAX} webhooks`);
		await audit.append(caller, "webhook.created", webhookTarget(webhook), {
			host: hostOf(webhook.url),
			event_types: webhook.eventTypes,
		});
	});
	return { webhook, secretPlain };
}

/**
 * Writes nothing if the patch changes nothing. Disabling fails the pending deliveries, which can be replayed once the
 * webhook is active again; events that occur in the meantime are not delivered. Pending deliveries go to a new URL.
 *
 * @throws AppError `request.invalid` (`url`, `event_types`), `webhook.not_found`.
 */
export async function updateWebhook(
	{ db, clock, isWebhookAddress }: Needed,
	id: string,
	patch: Patch<WebhookChanges>,
	caller: Caller,
): Promise<Webhook> {
	const { tenantId } = caller;
	const now = clock();
	const parsed = {
		...patch,
		url: patch.url === undefined ? undefined : parseTargetUrl(patch.url, isWebhookAddress),
		eventTypes: patch.eventTypes && sortSubscriptions(patch.eventTypes),
	};
	return db.transaction(async ({ webhooks, webhookDeliveries, audit }) => {
		const before = found(await webhooks.findById(tenantId, id), webhookNotFound);
		const changes = differences<WebhookChanges>(before, parsed);
		if (Object.keys(changes).length === 0) return before;
		if (!(await webhooks.update(tenantId, id, changes, now))) throw webhookNotFound();
		if (changes.status === "disabled")
			await webhookDeliveries.failPending(id, now, "the webhook was disabled");
		const details = {
			...changeDetails(changes, ["eventTypes", "status"]),
			...(changes.url && { host: hostOf(changes.url) }),
		};
		const values = fieldChanges(before, changes, ["url"]);
		const host = changes.url && { host: { from: hostOf(before.url), to: hostOf(changes.url) } };
		await audit.append(caller, "webhook.updated", webhookTarget(before), details, { ...values, ...host });
		return found(await webhooks.findById(tenantId, id), webhookNotFound);
	});
}

/** Deletes a webhook and its deliveries. @throws AppError `webhook.not_found`. */
export async function deleteWebhook({ db }: Needed, id: string, caller: Caller): Promise<void> {
	await db.transaction(async ({ webhooks, audit }) => {
		const { url } = found(await webhooks.findById(caller.tenantId, id), webhookNotFound);
		if (!(await webhooks.remove(caller.tenantId, id))) throw webhookNotFound();
		await audit.append(caller, "webhook.deleted", webhookTarget({ id, url }), { host: hostOf(url) });
	});
}

/** Returns each type once, in the order of `WEBHOOK_SUBSCRIPTIONS`. @throws AppError `request.invalid` if empty. */
function sortSubscriptions(types: readonly WebhookSubscription[]): WebhookSubscription[] {
	if (types.length === 0) throw invalidField("event_types", "empty");
	return WEBHOOK_SUBSCRIPTIONS.filter((type) => types.includes(type));
}
