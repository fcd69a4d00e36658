// `/webhooks`: who is told of events, as administrators manage it.

import { data, empty, endpoint, oneOf, page } from "../../http/endpoint.ts";
import { choice, integer, list, object, optional, text } from "../../http/schema.ts";
import { adminContext } from "../applications/model.ts";
import type { SignedIn } from "../auth/model.ts";
import { type CreateWebhookDeps, createWebhook } from "./create-webhook.ts";
import { type DeleteWebhookDeps, deleteWebhook } from "./delete-webhook.ts";
import {
	WEBHOOK_DESCRIPTION_MAX,
	WEBHOOK_OVERLAP_SECONDS,
	WEBHOOK_OVERLAP_SECONDS_MAX,
	WEBHOOK_STATUSES,
	WEBHOOK_SUBSCRIPTIONS,
	WEBHOOK_URL_MAX,
	WEBHOOKS_MAX,
	webhookNotFound,
} from "./model.ts";
import { type RotateSecretDeps, rotateSecret } from "./rotate-secret.ts";
import { type UpdateWebhookDeps, updateWebhook } from "./update-webhook.ts";
import { toWireWebhook, webhookSchema, webhookWithSecretSchema } from "./webhook-wire.ts";

export type WebhooksDeps = CreateWebhookDeps & UpdateWebhookDeps & DeleteWebhookDeps & RotateSecretDeps;

const url = text({
	max: WEBHOOK_URL_MAX,
	description:
		"https, without credentials or fragment. It must lead to the public Internet, or to a network the operator allows: an address is judged here, a name at each delivery.",
	examples: ["https://partner.example/hooks/latchkey"],
});
const description = optional(text({ min: 0, max: WEBHOOK_DESCRIPTION_MAX }));
const eventTypes = list(choice(WEBHOOK_SUBSCRIPTIONS), {
	unique: true,
	description: "At least one; `user.*` stands for every event that begins so.",
	examples: [["user.*", "grant.removed"]],
});
const createBody = object({ url, description, event_types: eventTypes });
const patchBody = object({
	url: optional(url),
	description,
	event_types: optional(eventTypes),
	status: optional(choice(WEBHOOK_STATUSES)),
});
const rotateBody = object({
	overlap_seconds: optional(
		integer({
			min: 0,
			max: WEBHOOK_OVERLAP_SECONDS_MAX,
			description: `How long deliveries are signed with the old secret too; ${WEBHOOK_OVERLAP_SECONDS} (a day) unless given.`,
		}),
	),
});
const ids = { id: "webhook.not_found" } as const;

export function webhooksEndpoints(deps: WebhooksDeps) {
	const { webhooks } = deps.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listWebhooks",
			summary: "List webhooks",
			query: { status: oneOf(WEBHOOK_STATUSES) },
			answer: page(webhookSchema, "Webhooks of the tenant, newest first."),
			async handle({ caller: { tenantId }, query: { status }, page: asked }) {
				const found = await webhooks.list({ tenantId, ...(status && { status }) }, asked);
				return { items: found.items.map(toWireWebhook), total: found.total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createWebhook",
			summary: "Create a webhook",
			description: `Events from now on are sent to the URL in the Standard Webhooks form. The secret is in this answer and never shown again. At most ${WEBHOOKS_MAX} a tenant.`,
			body: createBody,
			answer: data(201, webhookWithSecretSchema, "The new webhook with its secret."),
			errors: ["webhook.too_many"],
			secret: true,
			async handle({ caller, body, request }) {
				const wanted = {
					url: body.url,
					description: body.description ?? "",
					eventTypes: body.event_types,
				};
				const { webhook, secretPlain } = await createWebhook(deps, wanted, adminContext(caller, request));
				return { ...toWireWebhook(webhook), secret: secretPlain };
			},
		}),

		get: endpoint<SignedIn>()({
			name: "getWebhook",
			summary: "Get a webhook",
			ids,
			answer: data(200, webhookSchema, "The webhook, without its secret."),
			async handle({ caller, ids: { id } }) {
				const webhook = await webhooks.findById(caller.tenantId, id as string);
				if (webhook === undefined) throw webhookNotFound();
				return toWireWebhook(webhook);
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateWebhook",
			summary: "Change a webhook",
			description:
				"Fields that are absent stay; `event_types` is replaced whole. `disabled` gives up what waits and keeps no events for later; `active` forgets earlier failures.",
			ids,
			body: patchBody,
			answer: data(200, webhookSchema, "The webhook as it is now."),
			async handle({ caller, ids: { id }, body, request }) {
				const patch = {
					url: body.url,
					description: body.description,
					eventTypes: body.event_types,
					status: body.status,
				};
				return toWireWebhook(await updateWebhook(deps, id as string, patch, adminContext(caller, request)));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteWebhook",
			summary: "Delete a webhook",
			description: "Its deliveries go with it; what is under way may still arrive.",
			ids,
			answer: empty(204, "The webhook is gone."),
			handle: ({ caller, ids: { id }, request }) =>
				deleteWebhook(deps, id as string, adminContext(caller, request)),
		}),

		rotateSecret: endpoint<SignedIn>()({
			name: "rotateWebhookSecret",
			summary: "Rotate the secret of a webhook",
			description:
				"The new secret is in this answer and never shown again. During the overlap deliveries carry two signatures, so that a receiver with either secret accepts them; at most two secrets sign at any time.",
			ids,
			body: rotateBody,
			answer: data(200, webhookWithSecretSchema, "The webhook with its new secret."),
			secret: true,
			async handle({ caller, ids: { id }, body, request }) {
				const overlapSeconds = body.overlap_seconds ?? WEBHOOK_OVERLAP_SECONDS;
				const context = adminContext(caller, request);
				const { webhook, secretPlain } = await rotateSecret(deps, id as string, overlapSeconds, context);
				return { ...toWireWebhook(webhook), secret: secretPlain };
			},
		}),
	};
}
