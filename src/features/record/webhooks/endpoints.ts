// `/webhooks`: administrators manage the receivers of events.

import type { Administrator } from "../../../domain/caller.ts";
import { ROTATION_OVERLAP_SECONDS } from "../../../domain/client-secret.ts";
import {
	WEBHOOK_DESCRIPTION_MAX,
	WEBHOOK_STATUSES,
	WEBHOOK_URL_MAX,
	WEBHOOKS_MAX,
	type Webhook,
	webhookNotFound,
} from "../../../domain/webhook.ts";
import { WEBHOOK_SUBSCRIPTIONS } from "../../../domain/webhook-event.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { oneOf } from "../../../http/describe/query-parameters.ts";
import { choice, list, multilineText, object, optional, text } from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { found } from "../../../kernel/error.ts";
import { overlapInput } from "../../partners/steps/overlap-wire.ts";
import type { Platform } from "../../platform.ts";
import { createWebhook, deleteWebhook, updateWebhook } from "./manage-webhook.ts";
import { rotateWebhookSecret } from "./webhook-secret.ts";
import { toWireWebhook, webhookSchema, webhookWithSecretSchema } from "./webhook-wire.ts";

const url = text({
	max: WEBHOOK_URL_MAX,
	description:
		"An https URL without credentials or a fragment, on the public Internet or in a network that the operator allows. IP addresses are checked here, host names at each delivery.",
	examples: ["https://partner.example/hooks/latchkey"],
});
const description = optional(multilineText({ min: 0, max: WEBHOOK_DESCRIPTION_MAX }));
const eventTypes = list(choice(WEBHOOK_SUBSCRIPTIONS), {
	unique: true,
	description: "At least one. `user.*` means every event that begins with `user.`.",
	examples: [["user.*", "grant.removed"]],
});
const createBody = object({ url, description, event_types: eventTypes });
const patchBody = object({
	url: optional(url),
	description,
	event_types: optional(eventTypes),
	status: optional(choice(WEBHOOK_STATUSES)),
});
const toFields = fromWire(createBody);
const toPatch = fromWire(patchBody);
const rotateBody = object({
	overlap_seconds: overlapInput(
		`How long deliveries are also signed with the old secret; default ${ROTATION_OVERLAP_SECONDS} (a day).`,
	),
});
const ids = { id: "webhook.not_found" } as const;

export function webhooksEndpoints(platform: Platform) {
	const { webhooks } = platform.db.stores;
	const shown = (webhook: Webhook) => toWireWebhook(webhook, platform.clock());
	return {
		list: endpoint<Administrator>()({
			name: "listWebhooks",
			summary: "List webhooks",
			query: { status: oneOf(WEBHOOK_STATUSES) },
			response: page(
				webhookSchema,
				"Webhooks of the tenant: first those that fail or that the service disabled, then the newest.",
			),
			async handle({ caller: { tenantId }, query, page: { page, pageSize } }) {
				// A tenant has few webhooks. The sort is stable: the newest come first.
				const all = (await webhooks.listAll({ tenantId, ...query }))
					.map(shown)
					.sort((one, other) => Number(other.failing) - Number(one.failing));
				const from = (page - 1) * pageSize;
				return { items: all.slice(from, from + pageSize), total: all.length };
			},
		}),

		create: endpoint<Administrator>()({
			name: "createWebhook",
			summary: "Create a webhook",
			description: `The service sends events from now on to the URL, in the Standard Webhooks format. Only this response contains the secret. A tenant can have up to ${WEBHOOKS_MAX} webhooks.`,
			body: createBody,
			response: data(201, webhookWithSecretSchema, "The new webhook with its secret."),
			errors: ["webhook.too_many"],
			secret: true,
			async handle({ caller, body }) {
				const fields = { description: "", ...toFields(body) };
				const { webhook, secretPlain } = await createWebhook(platform, fields, caller);
				return { ...shown(webhook), secret: secretPlain };
			},
		}),

		get: endpoint<Administrator>()({
			name: "getWebhook",
			summary: "Get a webhook",
			ids,
			response: data(200, webhookSchema, "The webhook, without its secret."),
			handle: async ({ caller, ids: { id } }) =>
				shown(found(await webhooks.findById(caller.tenantId, id), webhookNotFound)),
		}),

		update: endpoint<Administrator>()({
			name: "updateWebhook",
			summary: "Change a webhook",
			description:
				"Absent fields keep their values; `event_types` is replaced as a whole. `disabled` fails pending deliveries, and later events are not delivered. `active` clears earlier failures.",
			ids,
			body: patchBody,
			response: data(200, webhookSchema, "The changed webhook."),
			handle: async ({ caller, ids: { id }, body }) =>
				shown(await updateWebhook(platform, id, toPatch(body), caller)),
		}),

		remove: endpoint<Administrator>()({
			name: "deleteWebhook",
			summary: "Delete a webhook",
			description: "Its deliveries are deleted too. A delivery that is being sent may still arrive.",
			ids,
			response: empty(204, "The webhook is deleted."),
			handle: ({ caller, ids: { id } }) => deleteWebhook(platform, id, caller),
		}),

		rotateSecret: endpoint<Administrator>()({
			name: "rotateWebhookSecret",
			summary: "Rotate the secret of a webhook",
			description:
				"Only this response contains the new secret. During the overlap, deliveries have two signatures, so that a receiver with either secret accepts them. At most two secrets sign at any time.",
			ids,
			body: rotateBody,
			response: data(200, webhookWithSecretSchema, "The webhook with its new secret."),
			secret: true,
			async handle({ caller, ids: { id }, body }) {
				const overlapSeconds = body.overlap_seconds ?? ROTATION_OVERLAP_SECONDS;
				const { webhook, secretPlain } = await rotateWebhookSecret(platform, id, overlapSeconds, caller);
				return { ...shown(webhook), secret: secretPlain };
			},
		}),
	};
}
