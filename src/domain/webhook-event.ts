// The event types that webhooks can subscribe to, and the payload of a delivery.

import { hasOwn } from "../kernel/shape.ts";
import type { AuditEntry } from "./audit.ts";
import type { AuditAction } from "./audit-action.ts";

/** Audit actions whose event has another name. Others have the name of their event; those without an event are not sent. */
const RENAMED = {
	"tenant.branding_updated": "branding.updated",
	"oauth.consented": "consent.given",
	"oauth.consent_withdrawn": "consent.withdrawn",
	"user.signed_in": "session.started",
	"user.signed_out": "session.ended",
	"user.session_ended": "session.ended",
	"user.sessions_revoked": "session.all_ended",
	"user.other_sessions_ended": "session.others_ended",
} as const satisfies Partial<Record<AuditAction, string>>;

/** What webhooks can subscribe to, in words; docs/webhooks.md has the same. */
export const WEBHOOK_EVENTS = {
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
	"api_client.secret_rotated": "the client rotated its Secret",
	"api_client.key_added": "the client or an administrator added the public key `key_id`",
	"api_client.key_accepted": "a reviewer accepted the public key `key_id`",
	"api_client.key_removed": "the public key `key_id` was removed",
	"api_client.test_created": "an applicant created a test client",
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
	"program.approved": "a reviewer approved a program, or a change of its document",
	"program.changed": "the document of a program changed, or cannot be read: a reviewer decides",
	"program.rejected": "a reviewer rejected a program, or a change of its document",
	"program.removed": "an administrator removed a program",
	"program.requested": "a user requested access for a program that was not reviewed",
	"program.suspended": "a program was suspended, by an administrator or after 14 days without a decision",
	"review.closed": "a review closes: what was ended loses its access",
	"review.created": "an administrator began a review",
	"review.item_ended": "a reviewer, or the end of a review without a decision, ended what a subject may do",
	"review.item_kept": "a reviewer confirmed what a subject may do",
	"session.started": "a user signed in",
	"session.ended": "a user signed out or revoked a session, or an administrator revoked it",
	"session.refresh_reused": "a used refresh token was sent again, so the session was revoked",
	"session.all_ended": "an administrator revoked all sessions of a user",
	"session.others_ended": "a user revoked all of their sessions except the current one",
	"user.adopted": "a directory took over an existing account",
	"user.created": "an administrator or a directory created an account",
	"user.registered": "a user registered",
	"user.updated": "the account was changed: `fields`",
	"user.deleted": "the account was deleted",
	"user.invited": "an invitation was mailed to a user",
	"user.invite_accepted": "an invited user accepted and is now active",
	"user.password_changed": "the user changed the password",
	"user.password_reset": "the password was reset",
	"user.password_locked": "the password is refused after too many failures",
	"user.unlocked": "an administrator reset the failed password and code attempts",
	"user.email_changed": "the user changed their email address",
	"user.email_restored": "the owner of the former email address recovered the account",
} as const satisfies Partial<Record<AuditAction | (typeof RENAMED)[keyof typeof RENAMED], string>>;
export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as readonly WebhookEventType[];

/** The audit actions that are sent to webhooks. */
export type WebhookAuditAction = Extract<AuditAction, WebhookEventType> | keyof typeof RENAMED;

/** Sent to one webhook when an administrator requests a test, regardless of its subscriptions. */
export const WEBHOOK_TEST_TYPE = "webhook.test";
export type WebhookDeliveryType = WebhookEventType | typeof WEBHOOK_TEST_TYPE;
export const WEBHOOK_DELIVERY_TYPES: readonly WebhookDeliveryType[] = [
	...WEBHOOK_EVENT_TYPES,
	WEBHOOK_TEST_TYPE,
];

/** Each covers every type with its prefix, including types that later versions add. */
export type WebhookEventGroup = GroupOf<WebhookEventType>;
type GroupOf<Type> = Type extends `${infer Noun}.${string}` ? `${Noun}.*` : never;
export const WEBHOOK_EVENT_GROUPS: readonly WebhookEventGroup[] = [
	...new Set(WEBHOOK_EVENT_TYPES.map(groupOf)),
];

/** What a webhook may subscribe to. */
export const WEBHOOK_SUBSCRIPTIONS = [...WEBHOOK_EVENT_GROUPS, ...WEBHOOK_EVENT_TYPES];
export type WebhookSubscription = (typeof WEBHOOK_SUBSCRIPTIONS)[number];

/** Returns the event type of an audit action, or undefined if webhooks do not receive the action. */
export function findWebhookEventType(action: string): WebhookEventType | undefined {
	if (hasOwn(RENAMED, action)) return RENAMED[action];
	return hasOwn(WEBHOOK_EVENTS, action) ? action : undefined;
}

export function groupOf(type: WebhookEventType): WebhookEventGroup {
	return `${type.slice(0, type.indexOf("."))}.*` as WebhookEventGroup;
}

/** The details that a payload may contain: ids, a status, and names of changed fields; never names, addresses, or values. */
const PUBLIC_DETAILS = new Set([
	"access_request_id",
	"api_client_id",
	"app_id",
	"fields",
	"group_id",
	"item_id",
	"review_id",
	"key_id",
	"session_id",
	"status",
	"user_id",
]);

/**
 * Returns the body of a delivery, identical at every attempt: `{ type, timestamp, data }`, where `data` contains
 * `tenant_id`, `actor`, the id of the target as `<noun>_id`, and further ids.
 */
export function webhookPayload(
	type: WebhookDeliveryType,
	entry: Pick<AuditEntry, "tenantId" | "actor" | "target" | "details">,
	atMs: number,
): string {
	const [noun = "", id = ""] = entry.target.split(":");
	const details = Object.entries(entry.details ?? {}).filter(
		([name, value]) => PUBLIC_DETAILS.has(name) && value !== null,
	);
	return JSON.stringify({
		type,
		timestamp: new Date(atMs).toISOString(),
		data: {
			tenant_id: entry.tenantId,
			actor: entry.actor,
			...Object.fromEntries(details),
			...(id === "" ? {} : { [`${noun}_id`]: id }),
		},
	});
}
