// What webhooks receive: the payload of each group of events, what happened by event type, and the headers.

import { USER_STATUSES } from "../../../domain/user.ts";
import type { WebhookEventGroup, WebhookEventType } from "../../../domain/webhook-event.ts";
import { choice, list, object, optional, plain, type Schema, time } from "../../../http/schema.ts";

/** By type, as in docs/webhooks.md. */
const EVENTS: Readonly<Record<WebhookEventType, string>> = {
	"access_request.submitted": "an application for API access arrived",
	"access_request.approved": "it was approved",
	"access_request.rejected": "it was rejected",
	"access_request.withdrawn": "its applicant took it back",
	"access_request.claim_resent": "its claim link was sent again",
	"admin_key.created": "an administrator made an admin key",
	"admin_key.deleted": "it was deleted, or ended with its creator",
	"api_client.created": "a client was made, by hand or by an approval",
	"api_client.claimed": "its applicant fetched the Secret",
	"api_client.updated": "it was changed: `fields`",
	"api_client.deleted": "it was deleted",
	"api_client.secret_regenerated": "an administrator gave it a new Secret",
	"api_client.secret_rotated": "it rotated its Secret itself",
	"grant.created": "a user or group may use an application",
	"grant.updated": "their roles in it changed",
	"grant.removed": "they may not any more",
	"session.started": "a user signed in",
	"session.ended": "a user signed out or ended one of their sessions",
	"session.refresh_reused": "a used refresh token came back: the session was ended",
	"session.all_ended": "an administrator ended all sessions of a user",
	"user.created": "an administrator made an account",
	"user.registered": "a user registered",
	"user.unlocked": "an administrator cleared the counted wrong passwords and codes",
	"user.updated": "it was changed: `fields`",
	"user.deleted": "it was deleted",
	"user.invited": "a user was mailed an invitation",
	"user.invite_accepted": "an invited user accepted and is active",
	"user.password_changed": "its owner changed the password",
	"user.password_reset": "the password was reset",
	"user.email_changed": "a user changed their e-mail address",
	"user.email_restored": "the owner of the former address took the account back",
	"user.password_locked": "the password is refused after too many failures",
};

const id = plain({ format: "uuid" });
const fields = optional(
	list(plain(), { description: "The names of the changed fields.", examples: [["email"]] }),
);
const status = optional(choice(USER_STATUSES, { description: "The new status." }));
const own = {
	tenant_id: id,
	actor: plain({ description: "`user:<id>`, `api_client:<id>`, `key:<id>`, `anonymous` or `system`." }),
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
		ids: { api_client_id: id, app_id: optional(id), ...requestId, fields, status },
	},
	"grant.*": { title: "GrantEvent", ids: { app_id: id, user_id: optional(id), group_id: optional(id) } },
	"session.*": {
		title: "SessionEvent",
		ids: { session_id: optional(id), user_id: optional(id), app_id: optional(id) },
	},
	"user.*": { title: "UserEvent", ids: { user_id: id, fields, status } },
} as const satisfies Record<WebhookEventGroup, { title: string; ids: object }>;

/** For the API reference: each group with its events and their payload. */
export const WEBHOOK_DESCRIPTIONS = Object.entries(DATA).map(([group, { title, ids }]) => {
	const prefix = group.slice(0, -1);
	const events = Object.entries(EVENTS).filter(([type]) => type.startsWith(prefix));
	const payload: Schema<unknown> = object(
		{ type: choice(events.map(([type]) => type)), timestamp: time(), data: object({ ...own, ...ids }) },
		{ title },
	);
	return { payload, events: Object.fromEntries(events) };
});

/** The headers of a delivery (Standard Webhooks). */
export const WEBHOOK_HEADERS: Readonly<Record<string, Schema<string>>> = {
	"webhook-id": plain({ format: "uuid", description: "The same at every attempt and replay." }),
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
