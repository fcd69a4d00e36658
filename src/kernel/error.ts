// The error that use cases throw on purpose, and the closed list of its codes.

import { type FieldReason, type Problem, problem, type ReasonParameters } from "./field-reason.ts";

/**
 * Every error code of the service, and its kind. Codes have the form `noun.reason`, are stable once released, and are
 * explained in `docs/errors.md` (a test compares the two). `http/reply.ts` maps each kind to a status.
 */
export const ERROR_KINDS = {
	"request.invalid": "invalid",
	"request.malformed": "invalid",
	"request.target_form": "invalid",
	"request.body_not_allowed": "invalid",
	"request.content_type": "invalid",
	"request.content_encoding": "unsupported_media",
	"request.too_large": "too_large",
	"request.too_many": "rate_limited",
	"version.changed": "precondition_failed",
	"route.not_found": "not_found",
	"route.method_not_allowed": "method_not_allowed",
	"transport.https_required": "upgrade_required",
	"tenant.not_found": "not_found",
	"image.not_found": "not_found",
	"tenant.slug_taken": "conflict",
	"tenant.is_default": "conflict",
	"token.missing": "unauthenticated",
	"token.invalid": "unauthenticated",
	"role.required": "forbidden",
	"application.token": "forbidden",
	"admin_key.not_allowed": "forbidden",
	"test_client.not_allowed": "forbidden",
	"admin_key.not_found": "not_found",
	"signature.headers": "unauthenticated",
	"signature.timestamp": "unauthenticated",
	"signature.invalid": "unauthenticated",
	"nonce.reused": "unauthenticated",
	"ip.not_allowed": "forbidden",
	"origin.not_allowed": "forbidden",
	"scope.missing": "forbidden",
	"secret.superseded": "conflict",
	"request.not_found": "not_found",
	"request.already_decided": "conflict",
	"request.not_approved": "conflict",
	"request.no_recipient": "conflict",
	"request.own": "forbidden",
	"request.not_requestable": "forbidden",
	"request.too_long": "invalid",
	"request.pending_exists": "conflict",
	"request.queue_full": "rate_limited",
	"access_request.pending_exists": "conflict",
	"access_request.already_claimed": "conflict",
	"access_request.client_unavailable": "conflict",
	"claim.not_found": "not_found",
	"withdrawal.not_found": "not_found",
	"test_link.not_found": "not_found",
	"still_needed.not_found": "not_found",
	"program.document": "invalid",
	"program.not_found": "not_found",
	"program_request.not_taken": "forbidden",
	"login.mailed_code_off": "forbidden",
	"mfa.help_off": "forbidden",
	"program_request.unreadable": "conflict",
	"program_request.document_changed": "conflict",
	"program_request.too_many": "rate_limited",
	"program_request.queue_full": "conflict",
	"application.is_program": "conflict",
	"credentials.invalid": "unauthenticated",
	"sign_in.enforced": "forbidden",
	"account.disabled": "forbidden",
	"application.access_denied": "forbidden",
	"application.disabled": "forbidden",
	"login.too_many": "rate_limited",
	"code.too_many": "rate_limited",
	"mail.too_many": "rate_limited",
	"code.invalid": "invalid",
	"refresh_token.invalid": "unauthenticated",
	"reset.not_found": "not_found",
	"invite.not_found": "not_found",
	"email_restore.not_found": "not_found",
	"mfa.invalid": "unauthenticated",
	"mfa.required": "forbidden",
	"mfa.code_wrong": "invalid",
	"mfa.not_enabled": "conflict",
	"mfa.not_due": "conflict",
	"mfa.last_factor": "conflict",
	"passkey.last_way": "conflict",
	"totp.not_found": "not_found",
	"passkey.invalid": "unauthenticated",
	"passkey.refused": "invalid",
	"passkey.not_found": "not_found",
	"passkey.enrolled": "conflict",
	"passkey.too_many": "conflict",
	"passkey.unavailable": "conflict",
	"password.wrong": "invalid",
	"password.too_common": "invalid",
	"password.breached": "invalid",
	"password.same_as_name": "invalid",
	"password.too_short": "invalid",
	"password.too_long": "invalid",
	"username.taken": "conflict",
	"email.taken": "conflict",
	"user.not_found": "not_found",
	"user.read_only": "method_not_allowed",
	"user.last_admin": "conflict",
	"user.invite_unusable": "conflict",
	"user.reset_unusable": "conflict",
	"session.not_found": "not_found",
	"session.ended": "unauthenticated",
	"session.too_old": "unauthenticated",
	"support.read_only": "forbidden",
	"support.subject": "forbidden",
	"support_session.not_found": "not_found",
	"support_session.too_many": "conflict",
	"export.too_many": "rate_limited",
	"third_party_account.not_found": "not_found",
	"third_party_account.linked": "conflict",
	"third_party_account.last_way": "conflict",
	"third_party_attempt.invalid": "invalid",
	"third_party_sign_in.not_found": "not_found",
	"interaction.not_found": "not_found",
	"actor.not_found": "not_found",
	"consent.not_found": "not_found",
	"sign_out.not_found": "not_found",
	"device.not_found": "not_found",
	"interaction.sign_in_again": "unauthenticated",
	"interaction.other_tenant": "forbidden",
	"identity_provider.not_found": "not_found",
	"identity_provider.slug_taken": "conflict",
	"identity_provider.too_many": "conflict",
	"identity_provider.in_use": "conflict",
	"issuer.in_use": "conflict",
	"issuer.taken": "conflict",
	"directory.not_found": "not_found",
	"user.of_directory": "conflict",
	"scim.invalid_filter": "invalid",
	"scim.invalid_path": "invalid",
	"scim.invalid_syntax": "invalid",
	"scim.invalid_value": "invalid",
	"scim.no_target": "invalid",
	"scim.not_found": "not_found",
	"scim.uniqueness": "conflict",
	"identity_provider.unavailable": "unavailable",
	"set_up.open": "conflict",
	"set_up.done": "conflict",
	"set_up.untested": "conflict",
	"domain.not_found": "not_found",
	"domain.exists": "conflict",
	"domain.too_many": "conflict",
	"domain.unverified": "conflict",
	"domain.taken": "conflict",
	"issuer.mismatch": "invalid",
	"application.not_found": "not_found",
	"application.slug_taken": "conflict",
	"oauth_client.not_found": "not_found",
	"oauth_client.resource_taken": "conflict",
	"oauth_client.no_secret": "conflict",
	"application_role.not_found": "not_found",
	"application_role.name_taken": "conflict",
	"application_role.too_many": "conflict",
	"grant.not_found": "not_found",
	"grant.of_group": "conflict",
	"gate.not_found": "not_found",
	"gate.origin_taken": "conflict",
	"gate.key": "unauthenticated",
	"gate.request": "invalid",
	"gate.path": "invalid",
	"gate.no_rule": "forbidden",
	"gate.two_proofs": "invalid",
	"gate.body_unbound": "unauthenticated",
	"gate.caller_kind": "forbidden",
	"gate.test_client": "forbidden",
	"gate.origin": "forbidden",
	"gate.sign_in": "unauthenticated",
	"audit_event.not_found": "not_found",
	"audit_event.not_restorable": "conflict",
	"audit_event.not_recorded": "conflict",
	"audit_event.changed_since": "conflict",
	"config.changed": "conflict",
	"config.not_permitted": "forbidden",
	"group.not_found": "not_found",
	"group.name_taken": "conflict",
	"group_member.not_found": "not_found",
	"manager.not_found": "not_found",
	"review.not_found": "not_found",
	"review.closed": "conflict",
	"review.decided": "conflict",
	"review.item_changed": "conflict",
	"review.own": "forbidden",
	"review.too_large": "conflict",
	"review.too_many": "conflict",
	"review_item.not_found": "not_found",
	"api_client.not_found": "not_found",
	"api_client.unclaimed": "conflict",
	"api_client.test_mode": "conflict",
	"api_client.has_keys": "conflict",
	"api_client.key_exists": "conflict",
	"api_client.key_not_found": "not_found",
	"api_client.keys_full": "conflict",
	"api_client.last_key": "conflict",
	"mail.not_found": "not_found",
	"mail.already_sent": "conflict",
	"mail.expired": "conflict",
	"webhook.not_found": "not_found",
	"webhook.too_many": "conflict",
	"webhook.disabled": "conflict",
	"webhook_delivery.not_found": "not_found",
	"query.too_slow": "unavailable",
	"service.unavailable": "unavailable",
	"service.overloaded": "unavailable",
	"server.internal": "internal",
} as const;

export type ErrorCode = keyof typeof ERROR_KINDS;
export type ErrorKind = (typeof ERROR_KINDS)[ErrorCode];

/**
 * Detailed reasons for refusals whose responses contain only the code. They appear in the log and the metrics, never in
 * a response. Stable, and explained in `docs/monitoring.md` (a test compares the two).
 */
export const REFUSAL_REASONS = [
	"client.unknown",
	"client.disabled",
	"client.unclaimed",
	"client.expired",
	"client.application_disabled",
	"client.other_tenant",
	"client.other_application",
	"signature.mismatch",
	"login.locked",
	"token.unverified",
	"token.expired",
	"token.session_ended",
	"admin_key.unknown",
	"admin_key.expired",
	"admin_key.creator",
	"admin_key.workload",
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** One invalid input field; `field` is its path in the body, query or headers, e.g. `ip_allowlist.2`. */
export interface FieldError extends Problem {
	readonly field: string;
}

export interface ErrorDetails {
	/** Where the code has another kind than usual. */
	readonly kind?: ErrorKind;
	readonly fields?: readonly FieldError[];
	/** Seconds until the caller may try again; sent as `Retry-After`. */
	readonly retryAfterSeconds?: number;
	/** Further response headers, e.g. `Allow`. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly cause?: unknown;
	/** For the log and the metrics only, never in a response. */
	readonly reason?: RefusalReason;
}

/** An expected failure. The caller sees `message`, which names the field and the limit but never a secret. */
export class AppError extends Error {
	readonly code: ErrorCode;
	readonly kind: ErrorKind;
	readonly fields: readonly FieldError[];
	readonly retryAfterSeconds: number | undefined;
	readonly headers: Readonly<Record<string, string>>;
	readonly reason: RefusalReason | undefined;

	constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
		super(message, details.cause === undefined ? undefined : { cause: details.cause });
		this.name = "AppError";
		this.code = code;
		this.kind = details.kind ?? ERROR_KINDS[code];
		this.fields = details.fields ?? [];
		this.retryAfterSeconds = details.retryAfterSeconds;
		this.headers = details.headers ?? {};
		this.reason = details.reason;
	}
}

/** Returns the row that a lookup found. @throws the error that `missing` creates if there is none. */
export function found<T>(row: T | undefined, missing: () => AppError): T {
	if (row === undefined) throw missing();
	return row;
}

/** A 400 about one field: `invalidField("page_size", "maximum", { max: 100 })`. */
export function invalidField<const Reason extends FieldReason>(
	field: string,
	reason: Reason,
	...parameters: ReasonParameters<Reason>
): AppError {
	return refusedField("request.invalid", field, problem(reason, ...parameters));
}

/** An error about one field, with a code other than `request.invalid`. */
export function refusedField(code: ErrorCode, field: string, problem: Problem): AppError {
	return new AppError(code, `${field} ${problem.message}`, { fields: [{ field, ...problem }] });
}

/** An entry of a list that was refused; `index` counts from 0. */
export interface InvalidEntry {
	readonly index: number;
	readonly problem: Problem;
}

/** A 400 about entries of one list: `invalidEntries("roles", [{ index: 2, problem: problem("not_a_role") }])`. */
export function invalidEntries(list: string, entries: readonly InvalidEntry[]): AppError {
	return invalidFields(entries.map(({ index, problem }) => ({ field: `${list}.${index}`, ...problem })));
}

/** A 400 about several fields; a field named `""` is the whole body. */
export function invalidFields(fields: readonly FieldError[]): AppError {
	const message = fields.map(({ field, message }) => `${field || "body"} ${message}`).join("; ");
	return new AppError("request.invalid", message, { fields });
}

/**
 * A 429 with `Retry-After` and `RateLimit-*` headers. Its message is `message` followed by how long to wait.
 *
 * @param wait `limit` is the number of attempts allowed, `seconds` the time until the next one, at least 1.
 */
export function tooMany(
	code: ErrorCode,
	message: string,
	{ limit, seconds }: { readonly limit: number; readonly seconds: number },
): AppError {
	return new AppError(code, `${message}, try again in ${seconds} s`, {
		retryAfterSeconds: seconds,
		headers: {
			"ratelimit-limit": String(limit),
			"ratelimit-remaining": "0",
			"ratelimit-reset": String(seconds),
		},
	});
}
