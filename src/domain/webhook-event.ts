// The event types that webhooks can subscribe to, and the payload of a delivery.

import { hasOwn } from "../kernel/shape.ts";
import type { AuditEntry } from "./audit.ts";
import type { AuditAction } from "./audit-action.ts";

/** The public event type of each audit action. Other actions are not sent to webhooks. */
const TYPE_OF_ACTION = {
	"access_request.submitted": "access_request.submitted",
	"access_request.approved": "access_request.approved",
	"access_request.rejected": "access_request.rejected",
	"access_request.withdrawn": "access_request.withdrawn",
	"access_request.claim_resent": "access_request.claim_resent",
	"admin_key.created": "admin_key.created",
	"admin_key.deleted": "admin_key.deleted",
	"api_client.created": "api_client.created",
	"api_client.claimed": "api_client.claimed",
	"api_client.updated": "api_client.updated",
	"api_client.deleted": "api_client.deleted",
	"api_client.secret_regenerated": "api_client.secret_regenerated",
	"api_client.secret_rotated": "api_client.secret_rotated",
	"api_client.key_added": "api_client.key_added",
	"api_client.key_accepted": "api_client.key_accepted",
	"api_client.key_removed": "api_client.key_removed",
	"api_client.test_created": "api_client.test_created",
	"tenant.branding_updated": "branding.updated",
	"oauth.consented": "consent.given",
	"oauth.consent_withdrawn": "consent.withdrawn",
	"domain.verified": "domain.verified",
	"domain.lost": "domain.lost",
	"gate.created": "gate.created",
	"gate.updated": "gate.updated",
	"gate.removed": "gate.removed",
	"gate.key_regenerated": "gate.key_regenerated",
	"grant.created": "grant.created",
	"grant.updated": "grant.updated",
	"grant.removed": "grant.removed",
	"grant.expired": "grant.expired",
	"group.member_expired": "group.member_expired",
	"oauth_client.created": "oauth_client.created",
	"oauth_client.updated": "oauth_client.updated",
	"oauth_client.deleted": "oauth_client.deleted",
	"oauth_client.secret_regenerated": "oauth_client.secret_regenerated",
	"person_request.submitted": "person_request.submitted",
	"person_request.approved": "person_request.approved",
	"person_request.rejected": "person_request.rejected",
	"person_request.withdrawn": "person_request.withdrawn",
	"program.approved": "program.approved",
	"program.changed": "program.changed",
	"program.rejected": "program.rejected",
	"program.removed": "program.removed",
	"program.requested": "program.requested",
	"program.suspended": "program.suspended",
	"review.closed": "review.closed",
	"review.created": "review.created",
	"review.item_ended": "review.item_ended",
	"review.item_kept": "review.item_kept",
	"user.signed_in": "session.started",
	"user.signed_out": "session.ended",
	"session.ended": "session.ended",
	"session.refresh_reused": "session.refresh_reused",
	"user.session_ended": "session.ended",
	"user.sessions_revoked": "session.all_ended",
	"user.other_sessions_ended": "session.others_ended",
	"user.adopted": "user.adopted",
	"user.created": "user.created",
	"user.registered": "user.registered",
	"user.updated": "user.updated",
	"user.deleted": "user.deleted",
	"user.invited": "user.invited",
	"user.invite_accepted": "user.invite_accepted",
	"user.password_changed": "user.password_changed",
	"user.password_reset": "user.password_reset",
	"user.password_locked": "user.password_locked",
	"user.unlocked": "user.unlocked",
	"user.email_changed": "user.email_changed",
	"user.email_restored": "user.email_restored",
} as const satisfies Partial<Record<AuditAction, string>>;

/** The audit actions that are sent to webhooks. */
export type WebhookAuditAction = keyof typeof TYPE_OF_ACTION;
export type WebhookEventType = (typeof TYPE_OF_ACTION)[keyof typeof TYPE_OF_ACTION];

/** Each event type once. */
export const WEBHOOK_EVENT_TYPES: readonly WebhookEventType[] = [...new Set(Object.values(TYPE_OF_ACTION))];
/** Sent to one webhook when an administrator requests a test, regardless of its subscriptions. */
export const WEBHOOK_TEST_TYPE = "webhook.test";
export type WebhookDeliveryType = WebhookEventType | typeof WEBHOOK_TEST_TYPE;
export const WEBHOOK_DELIVERY_TYPES: readonly WebhookDeliveryType[] = [
	...WEBHOOK_EVENT_TYPES,
	WEBHOOK_TEST_TYPE,
];
/** Each covers every type with its prefix, including types that later versions add. */
export const WEBHOOK_EVENT_GROUPS = [
	"access_request.*",
	"admin_key.*",
	"api_client.*",
	"branding.*",
	"consent.*",
	"domain.*",
	"gate.*",
	"grant.*",
	"group.*",
	"oauth_client.*",
	"person_request.*",
	"program.*",
	"review.*",
	"session.*",
	"user.*",
] as const;
export type WebhookEventGroup = (typeof WEBHOOK_EVENT_GROUPS)[number];
/** What a webhook may subscribe to. */
export const WEBHOOK_SUBSCRIPTIONS = [...WEBHOOK_EVENT_GROUPS, ...WEBHOOK_EVENT_TYPES];
export type WebhookSubscription = (typeof WEBHOOK_SUBSCRIPTIONS)[number];

/** Returns the event type of an audit action, or undefined if webhooks do not receive the action. */
export function findWebhookEventType(action: string): WebhookEventType | undefined {
	return hasOwn(TYPE_OF_ACTION, action) ? TYPE_OF_ACTION[action] : undefined;
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
