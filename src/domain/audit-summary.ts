// Describes audit events in words: one text per action.

import { AUDIT_NOUNS } from "./audit.ts";
import type { AuditAction, RetiredAuditAction } from "./audit-action.ts";
import { type AuditChanges, type AuditValue, cutText } from "./audit-changes.ts";

/**
 * `{actor}` and `{target}` are noun and name; others are details, with a default after `|`. What is in brackets is left out if
 * the actor is the target. English, without a full stop.
 */
const TEXTS: Readonly<Record<AuditAction | RetiredAuditAction, string>> = {
	"access_request.approved": "{actor} approved {target}",
	"access_request.claim_resent": "{actor} resent the claim link of {target}",
	"access_request.rejected": "{actor} rejected {target}",
	"access_request.submitted": "{actor} submitted {target}",
	"access_request.withdrawn": "{actor} withdrew {target}",
	"admin_key.created": "{actor} created {target}",
	"admin_key.deleted": "{actor} ended {target}",
	"api_client.claimed": "{actor} claimed the credentials of {target}",
	"api_client.created": "{actor} created {target}",
	"api_client.deleted": "{actor} deleted {target}",
	"api_client.dormancy_warned": "{actor} warned the owner of {target}, which is not used",
	"api_client.expiry_notified": "{actor} notified the owner of {target} that it expires",
	"api_client.key_accepted": "{actor} accepted the key {key_id} of {target}",
	"api_client.key_added": "{actor} added the key {key_id} to {target}",
	"api_client.key_removed": "{actor} removed the key {key_id} of {target}",
	"api_client.secret_regenerated": "{actor} regenerated the Secret of {target}",
	"api_client.secret_rotated": "{actor} rotated the Secret of {target}",
	"api_client.test_created": "{actor} created the test client {target}",
	"api_client.updated": "{actor} changed {target}",
	"application.created": "{actor} created {target}",
	"application.deleted": "{actor} deleted {target}",
	"application.updated": "{actor} changed {target}",
	"application_role.created": "{actor} created {target}",
	"application_role.deleted": "{actor} deleted {target}",
	"application_role.updated": "{actor} changed {target}",
	"audit.exported": "{actor} exported audit events",
	"audit.pruned": "{actor} removed old audit events",
	"config.applied": "{actor} applied a configuration to {target}",
	"directory.created": "{actor} set up {target}",
	"directory.deleted": "{actor} deleted {target}",
	"directory.token_rotated": "{actor} rotated the token of {target}",
	"directory.updated": "{actor} changed {target}",
	"domain.added": "{actor} added {target}",
	"domain.lost": "{target} is no longer verified: its DNS record was missing for 30 days",
	"domain.removed": "{actor} removed {target}",
	"domain.updated": "{actor} changed {target}",
	"domain.verified": "{actor} verified {target}",
	"gate.created": "{actor} created {target}",
	"gate.key_regenerated": "{actor} regenerated the key of {target}",
	"gate.removed": "{actor} removed {target}",
	"gate.updated": "{actor} changed {target}",
	"grant.changed": "{actor} changed the access of {target} to {app_name|an application}",
	"grant.created": "{actor} gave {target} access to {app_name|an application}",
	"grant.expired": "the access of {target} to {app_name|an application} ended",
	"grant.removed": "{actor} removed the access of {target} to {app_name|an application}",
	"grant.updated": "{actor} changed the access of {target} to {app_name|an application}",
	"group.created": "{actor} created {target}",
	"group.deleted": "{actor} deleted {target}",
	"group.member_expired": "the membership of {target} in {group_name|a group} ended",
	"group.updated": "{actor} changed {target}",
	"group_member.added": "{actor} added {target} to {group_name|a group}",
	"group_member.removed": "{actor} removed {target} from {group_name|a group}",
	"group_member.updated": "{actor} changed until when {target} is in {group_name|a group}",
	"identity_provider.created": "{actor} set up {target}",
	"identity_provider.deleted": "{actor} deleted {target}",
	"identity_provider.updated": "{actor} changed {target}",
	"installation.failed_over": "the database failed over to another server",
	"installation.fenced": "{actor} fenced the installation: what may have been used or revoked before is void",
	"installation.moved": "{actor} moved the installation to another database",
	"installation.restored": "{actor} restored the installation from a backup",
	"list.exported": "{actor} exported {list|a list} as CSV",
	"mail.resent": "{actor} resent {target}",
	"manager.added": "{actor} made {target} a manager of {name|an application or a group}",
	"manager.removed": "{actor} removed {target} from the managers of {name|an application or a group}",
	"oauth.acting_ended": "{actor} ended that {app_name|an application} acts at {api_name|an API}",
	"oauth.assertion_issued":
		"{app_name|an application} got an assertion about {target} for {audience|another service}",
	"oauth.code_retried":
		"{app_name|An application} sent the authorization or device code of {target} again at once",
	"oauth.code_reused":
		"A sign-in of {target} to {app_name|an application} ended: its authorization or device code was used twice",
	"oauth.consent_withdrawn": "{actor} withdrew the consent for {app_name|an application}",
	"oauth.consented": "{actor} allowed {app_name|an application} access to: {scopes|nothing}",
	"oauth.device_approved": "{actor} signed in to {app_name|an application} on a device",
	"oauth.refresh_reused":
		"A sign-in of {target} to {app_name|an application} ended: a refresh token was used twice",
	"oauth_client.created": "{actor} created {target}",
	"oauth_client.deleted": "{actor} deleted {target}",
	"oauth_client.secret_regenerated": "{actor} regenerated the secret of {target}",
	"oauth_client.updated": "{actor} changed {target}",
	"oauth_client.workload_refused": "The token of a workload was refused for {target}: {reason}",
	"person_request.approval_resent": "{actor} mailed the approval of {target} again",
	"person_request.approved": "{actor} approved {target}",
	"person_request.rejected": "{actor} rejected {target}",
	"person_request.submitted": "{actor} made {target}",
	"person_request.withdrawn": "{actor} withdrew {target}",
	"program.approval_resent": "{actor} mailed the approval of {target} again",
	"program.approved": "{actor} approved {target}",
	"program.changed": "The document of {target} changed, or cannot be read: it waits for a review",
	"program.rejected": "{actor} rejected {target}",
	"program.removed": "{actor} removed {target}",
	"program.requested": "{actor} made {target}",
	"program.suspended": "{actor} suspended {target}",
	"program.updated": "{actor} changed {target}",
	"registration.code_refused": "{actor} sent a wrong or expired registration code",
	"registration.code_requested": "{actor} requested a registration code",
	"review.closed": "{actor} closed {target}",
	"review.created": "{actor} began {target}",
	"review.item_ended":
		"{actor} decided in the review {review_name|of access} that the access of {target} ends",
	"review.item_kept": "{actor} decided in the review {review_name|of access} that {target} keeps its access",
	"review.partner_answered": "{actor} said whether {target} is still needed",
	"review.partner_notified": "{actor} asked the owner of {target} whether it is still needed",
	"secrets.resealed": "{actor} re-encrypted the stored secrets with {target}",
	"service.first_started": "{actor} started for the first time and created {target}",
	"session.ended": "{actor} ended {target}",
	"session.refresh_refused": "A session of {target} ended: its user may no longer use it",
	"session.refresh_reused": "A session of {target} ended: a refresh token was used twice",
	"set_up.finished": "{actor} finished setting up the sign-in of {target}",
	"set_up.link_created": "{actor} created a link to set up the sign-in of {target}",
	"set_up.link_revoked": "{actor} revoked the link to set up the sign-in of {target}",
	"set_up.tested": "{actor} tried the sign-in of {target}",
	"signing_key.published": "{actor} published {target}",
	"signing_key.removed": "{actor} removed {target}",
	"signing_key.replaced": "{actor} withdrew the signing keys and replaced them with {target}",
	"tenant.resource_assigned": "{actor} assigned {resource|a resource} to {target}",
	"tenant.created": "{actor} created {target}",
	"support_session.created": "{actor} created a support session for {target}: {reason|no reason}",
	"support_session.ended": "{actor} ended a support session for {target}",
	"support_session.opened": "{actor} began to read the account of {target}: {reason|no reason}",
	"tenant.branding_updated": "{actor} changed the branding of {target}",
	"tenant.updated": "{actor} changed {target}",
	"third_party_account.link_failed": "{actor} failed to link a third-party account[ to {target}]",
	"third_party_account.linked": "{actor} linked a third-party account[ to {target}]",
	"third_party_account.unlinked": "{actor} unlinked a third-party account[ from {target}]",
	"user.adopted": "{actor} took over the account of {target}",
	"user.created": "{actor} created {target}",
	"user.data_exported": "{actor} exported the data of {target}",
	"user.deleted": "{actor} deleted {target}",
	"user.deletion_refused": "{actor} could not delete the account: authentication failed",
	"user.dormancy_warned": "{actor} warned {target}, who has not been here for long",
	"user.email_change_refused": "{actor} could not change the email address: authentication failed",
	"user.email_change_requested": "{actor} requested a code to change the email address",
	"user.email_changed": "{actor} changed the email address[ of {target}]",
	"user.email_code_refused": "{actor} sent a wrong or expired code for a new email address",
	"user.email_displaced": "{actor} removed the unverified email address of {target}",
	"user.email_restored": "{actor} restored the former email address[ of {target}]",
	"user.invite_accepted": "{actor} accepted the invitation",
	"user.invited": "{actor} invited {target}",
	"user.other_sessions_ended": "{actor} ended all other sessions[ of {target}]",
	"user.passkey_renamed": "{actor} renamed a passkey",
	"user.password_change_refused": "{actor} could not change the password: authentication failed",
	"user.password_changed": "{actor} changed the password[ of {target}]",
	"user.password_locked": "{target} was locked after too many wrong passwords",
	"user.password_reset": "{actor} set a new password[ for {target}]",
	"user.password_reset_requested": "{actor} requested a password reset for {target}",
	"user.recovery_code_used": "{actor} signed in with a recovery code",
	"user.recovery_codes_renewed": "{actor} renewed the recovery codes[ of {target}]",
	"user.registered": "{actor} registered",
	"user.second_factor_added": "{actor} added a second factor[ to {target}]",
	"user.second_factor_asked": "{target} was asked for a second factor",
	"user.second_factor_help_asked": "{target} asked for help with the second factor",
	"user.second_factor_change_refused": "{actor} could not change second factors: authentication failed",
	"user.second_factor_removed": "{actor} removed a second factor[ of {target}]",
	"user.second_factors_reset": "{actor} reset the second factors of {target}",
	"user.session_ended": "{actor} ended a session of {target}",
	"user.sessions_revoked": "{actor} ended every session of {target}",
	"user.sign_in_code_requested": "A sign-in code was requested for {target|an unknown address}",
	"user.sign_in_failed": "A sign-in as {target} failed",
	"user.signed_in": "{actor} signed in",
	"user.signed_out": "{actor} signed out",
	"user.unlocked": "{actor} unlocked {target}",
	"user.updated": "{actor} changed {target}",
	"webhook.created": "{actor} created {target}",
	"webhook.deleted": "{actor} deleted {target}",
	"webhook.delivery_replayed": "{actor} replayed deliveries to {target}",
	"webhook.disabled": "{actor} disabled {target}: deliveries failed",
	"webhook.secret_rotated": "{actor} rotated the secret of {target}",
	"webhook.tested": "{actor} sent a test to {target}",
	"webhook.updated": "{actor} changed {target}",
};

/** Of an event that changed nothing but the roles of a grant. */
const ROLES_TEXT = "{actor} changed {whose_roles} in {app_name|an application}";
const OF_OTHERS = /\[([^[\]]*)\]/;

/** `{name}` or `{name|default}`. */
const PLACE = /\{(\w+)(?:\|([^}]*))?\}/g;

/** Changed fields, and letters of a value, that a summary shows. */
const FIELDS_MAX = 5;
const VALUE_MAX = 60;

export interface EventToSummarize {
	readonly actor: string;
	readonly actorName: string;
	readonly action: string;
	readonly target: string;
	readonly targetName: string;
	readonly details: Readonly<Record<string, unknown>>;
	readonly changes: AuditChanges;
}

/** One English sentence of at most about 1,200 characters; `""` for an action of another version. */
export function summaryOf({ action, details, changes, ...event }: EventToSummarize): string {
	if (!Object.hasOwn(TEXTS, action)) return "";
	const { roles, ...otherChanges } = changes;
	const isOfRoles = isGrantChange(action) && roles !== undefined && Object.keys(otherChanges).length === 0;
	const template = isOfRoles ? ROLES_TEXT : TEXTS[action as AuditAction];
	const person = event.target.startsWith("user:") ? event.targetName : "";
	const words: Readonly<Record<string, unknown>> = {
		...details,
		scopes: scopeWords(details.scopes),
		actor: actorWords(event),
		target: (template.startsWith("{target}") && person) || targetWords(event),
		whose_roles: person === "" ? `the roles of ${targetWords(event)}` : `${cutText(person)}'s roles`,
	};
	// By a function, because a name may hold `$&`, and in one pass, because it may hold `{target}`.
	const text = template
		.replace(OF_OTHERS, event.actor === event.target ? "" : "$1")
		.replaceAll(PLACE, (_, name: string, otherwise = "") => {
			const value = words[name];
			return typeof value === "string" && value !== "" ? cutText(value) : otherwise;
		});
	const isName = text.startsWith(words.actor as string) || (person !== "" && text.startsWith(person));
	const what = isOfRoles ? `: ${valueWords(roles.from)} → ${valueWords(roles.to)}` : changeWords(changes);
	return `${isName ? text : capital(text)}${what}`;
}

function isGrantChange(action: string): boolean {
	return action === "grant.updated" || action === "grant.changed";
}

/** `openid profile` as a list. */
function scopeWords(scopes: unknown): unknown {
	return typeof scopes === "string" ? scopes.replaceAll(" ", ", ") : scopes;
}

function capital(text: string): string {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** At the start of a sentence: a username stays as it is. */
function actorWords({ actor, actorName }: Pick<EventToSummarize, "actor" | "actorName">): string {
	const { noun, id } = parts(actor);
	if (noun === "cli") return `${id} (command line)`;
	if (noun === "directory") return `${capital(AUDIT_NOUNS.directory)} ${actorName || id}`;
	if (noun === "key") return `${capital(AUDIT_NOUNS.admin_key)} ${actorName || id}`;
	if (noun === "user" && actorName !== "") return actorName;
	if (id !== "") return `${capital(nounWords(noun))} ${actorName || id}`;
	return actor === "system" ? "The service" : "A visitor";
}

function targetWords({ target, targetName }: Pick<EventToSummarize, "target" | "targetName">): string {
	const { noun, id } = parts(target);
	return id === "" ? "an unknown account" : `${nounWords(noun)} ${targetName || id}`;
}

function parts(ref: string): { readonly noun: string; readonly id: string } {
	const colon = ref.indexOf(":");
	return colon === -1 ? { noun: ref, id: "" } : { noun: ref.slice(0, colon), id: ref.slice(colon + 1) };
}

function nounWords(noun: string): string {
	return Object.hasOwn(AUDIT_NOUNS, noun)
		? AUDIT_NOUNS[noun as keyof typeof AUDIT_NOUNS]
		: noun.replaceAll("_", " ");
}

function changeWords(changes: AuditChanges): string {
	const all = Object.entries(changes);
	if (all.length === 0) return "";
	const shown = all
		.slice(0, FIELDS_MAX)
		.map(([field, { from, to }]) => `${field} from ${valueWords(from)} to ${valueWords(to)}`);
	const more = all.length > FIELDS_MAX ? `, and ${all.length - FIELDS_MAX} more` : "";
	return `: ${shown.join(", ")}${more}`;
}

function valueWords(value: AuditValue): string {
	const text = typeof value === "object" && value !== null ? value.join(" ") : String(value ?? "");
	return text === "" ? "nothing" : cutText(text, VALUE_MAX);
}
