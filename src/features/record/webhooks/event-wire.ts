// What webhooks receive: the payload of each group of events, what happened by event type, and the headers.

import { API_CLIENT_STATUSES } from "../../../domain/api-client.ts";
import { USER_STATUSES } from "../../../domain/user.ts";
import type { WebhookDeliveryType, WebhookEventGroup } from "../../../domain/webhook-event.ts";
import { choice, list, object, optional, plain, type Schema, time } from "../../../http/schema.ts";

/** By type, as in docs/webhooks.md. */
const EVENTS: Readonly<Record<WebhookDeliveryType, string>> = {
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
	"branding.updated": "the branding of the tenant was changed: `fields`",
	"consent.given": "a user let an application have what it asks for in OpenID Connect",
	"consent.withdrawn": "they took that back; the tokens of the application ended",
	"grant.created": "a user or group may use an application",
	"grant.updated": "their roles in it changed",
	"grant.removed": "they may not any more",
	"oauth_client.created": "an application may sign people in with OpenID Connect, or get tokens",
	"oauth_client.updated": "its settings changed: `fields`",
	"oauth_client.deleted": "it was deleted by itself; with its application it ends without this event",
	"oauth_client.secret_regenerated": "an administrator gave it a new secret",
	"session.started": "a user signed in",
	"session.ended": "a user signed out or ended one of their sessions, or an administrator ended it",
	"session.refresh_reused": "a used refresh token came back: the session was ended",
	"session.all_ended": "an administrator ended all sessions of a user",
	"session.others_ended": "a user ended all of their sessions but the one in use",
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
	"webhook.test": "an administrator sends a test to this webhook; it cannot be subscribed to",
};

const id = plain({ format: "uuid" });
const fields = optional(
	list(plain(), { description: "The names of the changed fields.", examples: [["email"]] }),
);
const newStatus = { description: "The new status." };
const own = {
	tenant_id: id,
	actor: plain({
		description: "`user:<id>`, `api_client:<id>`, `key:<id>`, `cli:<system user>`, `anonymous` or `system`.",
	}),
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
			status: optional(choice(API_CLIENT_STATUSES, newStatus)),
		},
	},
	"branding.*": { title: "BrandingEvent", ids: { fields } },
	"consent.*": { title: "ConsentEvent", ids: { user_id: id, app_id: id } },
	"grant.*": { title: "GrantEvent", ids: { app_id: id, user_id: optional(id), group_id: optional(id) } },
	"oauth_client.*": { title: "OAuthClientEvent", ids: { oauth_client_id: id, fields } },
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
