// Creates, updates and deletes webhooks.

import type { Caller } from "../../../domain/caller.ts";
import { WEBHOOKS_MAX, type Webhook, type WebhookChanges, webhookNotFound } from "../../../domain/webhook.ts";
import { WEBHOOK_SUBSCRIPTIONS, type WebhookSubscription } from "../../../domain/webhook-event.ts";
import { differences, type Patch, wireNames } from "../../../kernel/changes.ts";
import { AppError, invalidField } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { parseTargetUrl } from "./target-url.ts";
import { issueWebhookSecret } from "./webhook-secret.ts";

export interface NewWebhook {
	readonly url: string;
	readonly description: string;
	readonly eventTypes: readonly WebhookSubscription[];
}

/**
 * Creates a webhook. Its secret is returned here and never again.
 *
 * @throws AppError `request.invalid` (`url`, `event_types`), `webhook.too_many`.
 */
export async function createWebhook(
	{
		db,
		secretBox,
		clock,
		isWebhookAddress,
	}: Needs<"webhooks" | "audit", "secretBox" | "clock" | "isWebhookAddress">,
	{ url, description, eventTypes }: NewWebhook,
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
		lastDeliveredAtMs: null,
		createdBy: caller.userId,
		createdAtMs: now,
		updatedAtMs: now,
	};
	await db.transaction(async ({ webhooks, audit }) => {
		// First: it serialises the transactions of a tenant, so that the next one counts this webhook.
		await audit.append(caller, "webhook.created", `webhook:${id}`, {
			host: hostOf(webhook.url),
			event_types: webhook.eventTypes,
		});
		if (!(await webhooks.insert({ ...webhook, secretSealed, previousSecretSealed: null }, WEBHOOKS_MAX)))
			throw new AppError("webhook.too_many", `a tenant has at most ${WEBHOOKS_MAX} webhooks`);
	});
	return { webhook, secretPlain };
}

/**
 * A patch that changes nothing writes nothing. Disabling fails the pending deliveries (they can be replayed once the
 * webhook is active again); later events are not kept for it. Pending deliveries go to a new URL.
 *
 * @throws AppError `request.invalid` (`url`, `event_types`), `webhook.not_found`.
 */
export async function updateWebhook(
	{
		db,
		clock,
		isWebhookAddress,
	}: Needs<"webhooks" | "webhookDeliveries" | "audit", "clock" | "isWebhookAddress">,
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
		const before = await webhooks.findById(tenantId, id);
		if (before === undefined) throw webhookNotFound();
		const changes = differences<WebhookChanges>(before, parsed);
		if (Object.keys(changes).length === 0) return before;
		if (!(await webhooks.update(tenantId, id, changes, now))) throw webhookNotFound();
		if (changes.status === "disabled")
			await webhookDeliveries.failPending(id, now, "the webhook was disabled");
		await audit.append(caller, "webhook.updated", `webhook:${id}`, {
			fields: wireNames(changes),
			...(changes.url && { host: hostOf(changes.url) }),
			...(changes.eventTypes && { event_types: changes.eventTypes }),
			...(changes.status && { status: changes.status }),
		});
		const after = await webhooks.findById(tenantId, id);
		if (after === undefined) throw webhookNotFound();
		return after;
	});
}

/** Deletes a webhook and its deliveries. @throws AppError `webhook.not_found`. */
export async function deleteWebhook(
	{ db }: Needs<"webhooks" | "audit">,
	id: string,
	caller: Caller,
): Promise<void> {
	await db.transaction(async ({ webhooks, audit }) => {
		const before = await webhooks.findById(caller.tenantId, id);
		if (before === undefined || !(await webhooks.remove(caller.tenantId, id))) throw webhookNotFound();
		await audit.append(caller, "webhook.deleted", `webhook:${id}`, { host: hostOf(before.url) });
	});
}

/** Returns each type once, in the order of the catalogue. @throws AppError `request.invalid` when there is none. */
function sortSubscriptions(types: readonly WebhookSubscription[]): WebhookSubscription[] {
	if (types.length === 0) throw invalidField("event_types", "must name at least one event type");
	return WEBHOOK_SUBSCRIPTIONS.filter((type) => types.includes(type));
}

/** The part of a URL for the audit trail: path and query may hold a secret of the receiver. */
function hostOf(url: string): string {
	return new URL(url).host;
}
