// What webhooks receive: descriptions of the events, the payload of each group, and the headers.

import { API_CLIENT_STATUSES } from "../../../domain/api-client.ts";
import type { Caller } from "../../../domain/caller.ts";
import { PROGRAM_STATUSES } from "../../../domain/program.ts";
import { USER_STATUSES } from "../../../domain/user.ts";
import {
	groupOf,
	WEBHOOK_EVENTS,
	WEBHOOK_TEST_TYPE,
	type WebhookDeliveryType,
	type WebhookEventGroup,
	type WebhookEventType,
} from "../../../domain/webhook-event.ts";
import {
	boolean,
	choice,
	list,
	object,
	optional,
	plain,
	type Schema,
	time,
} from "../../../http/describe/schema.ts";

const EVENTS: Readonly<Record<WebhookDeliveryType, string>> = {
	...WEBHOOK_EVENTS,
	[WEBHOOK_TEST_TYPE]: "an administrator sent a test to this webhook; you cannot subscribe to it",
};

const id = plain({ format: "uuid" });
const fields = optional(
	list(plain(), { description: "The names of the changed fields.", examples: [["email"]] }),
);
const newStatus = { description: "The new status." };
const own = {
	tenant_id: id,
	actor: plain(
		"`user:<id>`, `api_client:<id>`, `key:<id>`, `cli:<system user>`, `directory:<identity provider>`, `anonymous` or `system`.",
	),
	test: optional(boolean("`true` in a test, whose ids consist of zeros; otherwise absent.")),
};
const requestId = { access_request_id: optional(id) };

/** The ids in `data`, by group. */
const DATA = {
	"access_request.*": {
		title: "AccessRequestEvent",
		ids: { access_request_id: id, api_client_id: optional(id) },
	},
	"admin_key.*": { title: "AdminKeyEvent", ids: { admin_key_id: id } },
	"api_client.*": {
		title: "ApiClientEvent",
		ids: {
			api_client_id: id,
			app_id: optional(id),
			...requestId,
			fields,
			key_id: optional(plain("The thumbprint of the public key.")),
			status: optional(choice(API_CLIENT_STATUSES, newStatus)),
		},
	},
	"branding.*": { title: "BrandingEvent", ids: { fields } },
	"consent.*": { title: "ConsentEvent", ids: { user_id: id, app_id: id } },
	"domain.*": { title: "DomainEvent", ids: { domain_id: id } },
	"gate.*": { title: "GateEvent", ids: { gate_id: id, fields } },
	"grant.*": {
		title: "GrantEvent",
		ids: {
			app_id: id,
			user_id: optional(id),
			group_id: optional(id),
			api_client_id: optional(id),
			oauth_client_id: optional(id),
		},
	},
	"group.*": { title: "GroupEvent", ids: { user_id: id, group_id: id } },
	"oauth_client.*": { title: "OAuthClientEvent", ids: { oauth_client_id: id, fields } },
	"person_request.*": {
		title: "PersonRequestEvent",
		ids: { person_request_id: id, app_id: optional(id), user_id: optional(id) },
	},
	"program.*": {
		title: "ProgramEvent",
		ids: {
			program_id: optional(id),
			program_request_id: optional(id),
			app_id: optional(id),
			fields,
			status: optional(choice(PROGRAM_STATUSES, newStatus)),
		},
	},
	"review.*": {
		title: "ReviewEvent",
		ids: {
			review_id: id,
			item_id: optional(id),
			user_id: optional(id),
			api_client_id: optional(id),
			program_id: optional(id),
			admin_key_id: optional(id),
			app_id: optional(id),
		},
	},
	"session.*": {
		title: "SessionEvent",
		ids: { session_id: optional(id), user_id: optional(id), app_id: optional(id) },
	},
	"user.*": {
		title: "UserEvent",
		ids: { user_id: id, fields, status: optional(choice(USER_STATUSES, newStatus)) },
	},
	"webhook.*": { title: "WebhookTestEvent", ids: { webhook_id: id } },
} as const satisfies Record<WebhookEventGroup | "webhook.*", { title: string; ids: object }>;

/** The ids of a test: no record has them. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

/** The body of a test that looks like an event: it has every id that such an event may have. */
export function examplePayload(
	type: WebhookEventType,
	{ tenantId, actor }: Pick<Caller, "tenantId" | "actor">,
	atMs: number,
): string {
	const { ids } = DATA[groupOf(type)];
	const names = Object.keys(ids).filter((name) => name.endsWith("_id"));
	const data = { tenant_id: tenantId, actor, ...Object.fromEntries(names.map((name) => [name, NO_ID])) };
	return JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data: { ...data, test: true } });
}

/** For the API reference: each group with its events and their payload. */
export const WEBHOOK_DESCRIPTIONS = Object.entries(DATA).map(([group, { title, ids }]) => {
	const prefix = group.slice(0, -1);
	const events = Object.entries(EVENTS).filter(([type]) => type.startsWith(prefix));
	const payload = object(
		{ type: choice(events.map(([type]) => type)), timestamp: time(), data: object({ ...own, ...ids }) },
		{ title },
	);
	return { payload, events: Object.fromEntries(events) };
});

/** The headers of a delivery (Standard Webhooks). */
export const WEBHOOK_HEADERS: Readonly<Record<string, Schema<string>>> = {
	"webhook-id": plain({ format: "uuid", description: "The same for every attempt and replay." }),
	"webhook-timestamp": plain({
		description: "Unix time of the attempt, in seconds.",
		examples: ["1795161600"],
	}),
	"webhook-signature": plain({
		description:
			"One or two of `v1,<base64>`, separated by spaces: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`.",
		examples: ["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="],
	}),
};
