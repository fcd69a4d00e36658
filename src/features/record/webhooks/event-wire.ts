// What webhooks receive: descriptions of the events, the payload of each group, and the headers.

import { API_CLIENT_STATUSES } from "../../../domain/api-client.ts";
import type { Caller } from "../../../domain/caller.ts";
import { PROGRAM_STATUSES } from "../../../domain/program.ts";
import { USER_STATUSES } from "../../../domain/user.ts";
import type {
	WebhookDeliveryType,
	WebhookEventGroup,
	WebhookEventType,
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

/** Descriptions by type; docs/webhooks.md has the same. */
const EVENTS: Readonly<Record<WebhookDeliveryType, string>> = {
	"access_request.submitted": "a partner submitted an access request",
	"access_request.approved": "the request was approved",
	"access_request.rejected": "the request was rejected",
	"access_request.withdrawn": "the applicant withdrew the request",
	"access_request.claim_resent": "the claim link was sent again",
	"admin_key.created": "an administrator created an admin key",
	"admin_key.deleted": "the key was deleted, or revoked with its creator",
	"api_client.created": "an API client was created, directly or by an approval",
	"api_client.claimed": "the applicant claimed the Secret",
	"api_client.updated": "the client was changed: `fields`",
	"api_client.deleted": "the client was deleted",
	"api_client.secret_regenerated": "an administrator regenerated the Secret",
	"api_client.test_created": "an applicant created a test client",
	"api_client.secret_rotated": "the client rotated its Secret",
	"api_client.key_added": "the client or an administrator added the public key `key_id`",
	"api_client.key_accepted": "a reviewer accepted the public key `key_id`",
	"api_client.key_removed": "the public key `key_id` was removed",
	"branding.updated": "the tenant's branding was changed: `fields`",
	"consent.given": "a user consented to an application's request in OpenID Connect",
	"consent.withdrawn": "the user withdrew the consent; the application's tokens were revoked",
	"domain.verified": "an administrator proved a domain of email addresses",
	"domain.lost": "the DNS record of a domain was missing for 30 days, so it is no longer verified",
	"gate.created": "an application got a gate",
	"gate.updated": "the settings of the gate changed: `fields`",
	"gate.removed": "the gate was removed; not sent when its application is deleted",
	"gate.key_regenerated": "an administrator regenerated the key of the gate",
	"grant.created": "a user, a group, an API client, or a program was granted access to an application",
	"grant.updated": "the roles or the end of the grant changed",
	"grant.removed": "the grant was removed",
	"grant.expired": "the grant ended, up to a few minutes ago",
	"group.member_expired": "the membership of a user in a group ended, up to a few minutes ago",
	"oauth_client.created": "an application became an OAuth client: it can sign users in or obtain tokens",
	"oauth_client.updated": "its settings changed: `fields`",
	"oauth_client.deleted": "the OAuth client was deleted; not sent when its application is deleted",
	"oauth_client.secret_regenerated": "an administrator regenerated its secret",
	"person_request.submitted": "a user requested roles of an application",
	"person_request.approved": "a reviewer approved the request of a user: a grant was created or changed",
	"person_request.rejected": "a reviewer rejected the request of a user",
	"person_request.withdrawn": "a user withdrew a request",
	"program.requested": "a user requested access for a program that was not reviewed",
	"program.approved": "a reviewer approved a program, or a change of its document",
	"program.rejected": "a reviewer rejected a program, or a change of its document",
	"program.changed": "the document of a program changed, or cannot be read: a reviewer decides",
	"program.suspended": "a program was suspended, by an administrator or after 14 days without a decision",
	"program.removed": "an administrator removed a program",
	"review.created": "an administrator began a review",
	"review.closed": "a review closes: what was ended loses its access",
	"review.item_kept": "a reviewer confirmed what a subject may do",
	"review.item_ended": "a reviewer, or the end of a review without a decision, ended what a subject may do",
	"session.started": "a user signed in",
	"session.ended": "a user signed out or revoked a session, or an administrator revoked it",
	"session.refresh_reused": "a used refresh token was sent again, so the session was revoked",
	"session.all_ended": "an administrator revoked all sessions of a user",
	"session.others_ended": "a user revoked all of their sessions except the current one",
	"user.adopted": "a directory took over an existing account",
	"user.created": "an administrator or a directory created an account",
	"user.registered": "a user registered",
	"user.unlocked": "an administrator reset the failed password and code attempts",
	"user.updated": "the account was changed: `fields`",
	"user.deleted": "the account was deleted",
	"user.invited": "an invitation was mailed to a user",
	"user.invite_accepted": "an invited user accepted and is now active",
	"user.password_changed": "the user changed the password",
	"user.password_reset": "the password was reset",
	"user.email_changed": "the user changed their email address",
	"user.email_restored": "the owner of the former email address recovered the account",
	"user.password_locked": "the password is refused after too many failures",
	"webhook.test": "an administrator sent a test to this webhook; you cannot subscribe to it",
};

const id = plain({ format: "uuid" });
const fields = optional(
	list(plain(), { description: "The names of the changed fields.", examples: [["email"]] }),
);
const newStatus = { description: "The new status." };
const own = {
	tenant_id: id,
	actor: plain({
		description:
			"`user:<id>`, `api_client:<id>`, `key:<id>`, `cli:<system user>`, `directory:<identity provider>`, `anonymous` or `system`.",
	}),
	test: optional(boolean({ description: "`true` in a test, whose ids consist of zeros; otherwise absent." })),
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
			key_id: optional(plain({ description: "The thumbprint of the public key." })),
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
	const { ids } = DATA[`${type.slice(0, type.indexOf("."))}.*` as WebhookEventGroup];
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
