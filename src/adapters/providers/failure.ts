// Makes a `ProviderFailure` of whatever a library threw, without anything of the answer that could be a secret.

import {
	AuthorizationResponseError,
	ClientError,
	ResponseBodyError,
	WWWAuthenticateChallengeError,
} from "openid-client";
import { ProviderFailure, type ProviderFailureReason } from "../../features/third-party/model.ts";

/** Error codes of RFC 6749, OpenID Connect and the providers' own that are not simply a bad answer. */
const REASONS: Readonly<Record<string, ProviderFailureReason>> = {
	access_denied: "denied",
	user_cancelled_authorize: "denied",
	invalid_client: "misconfigured",
	unauthorized_client: "misconfigured",
	unsupported_response_type: "misconfigured",
	unsupported_grant_type: "misconfigured",
	invalid_scope: "misconfigured",
	invalid_request: "misconfigured",
	redirect_uri_mismatch: "misconfigured",
	incorrect_client_credentials: "misconfigured",
	server_error: "unreachable",
	temporarily_unavailable: "unreachable",
};
/** The discovery document lacks an endpoint, or names one that is not https. */
const METADATA_CODES = [
	"OAUTH_MISSING_SERVER_METADATA",
	"OAUTH_INVALID_SERVER_METADATA",
	"OAUTH_HTTP_REQUEST_FORBIDDEN",
];
/** An error code comes from outside, at times through the browser: only what looks like one is repeated. */
const ERROR_CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * The causes of library errors hold codes, tokens and bodies, so none is passed on: only messages, which are fixed
 * texts of the libraries.
 *
 * @param duringUserinfo the provider had already taken the client's id and secret
 */
export function providerFailure(error: unknown, duringUserinfo = false): ProviderFailure {
	for (let cause = error; cause instanceof Error; cause = cause.cause)
		if (cause instanceof ProviderFailure) return cause;
	if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
		return errorAnswer(error.error);
	if (error instanceof WWWAuthenticateChallengeError)
		return duringUserinfo
			? new ProviderFailure("invalid_answer", "the provider does not take the token it gave")
			: new ProviderFailure("misconfigured", "the provider does not take the client's id and secret");
	if (error instanceof ClientError) {
		const { cause } = error;
		const isTelling = cause instanceof Error && !(cause instanceof SyntaxError);
		const detail = isTelling ? `: ${cause.message}` : "";
		const reason = METADATA_CODES.includes(error.code ?? "") ? "misconfigured" : "invalid_answer";
		return new ProviderFailure(reason, `${error.message}${detail}`);
	}
	return new ProviderFailure("invalid_answer", "the provider's answer cannot be used");
}

/** What was wrong with a discovery document: its issuer, or what the admin wrote, is not the right one. */
export function discoveryFailure(error: unknown): ProviderFailure {
	const isOther = error instanceof ClientError && error.code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED";
	return isOther
		? new ProviderFailure("misconfigured", "the discovery document is that of another issuer")
		: providerFailure(error);
}

/** By the `error` of an answer, wherever it stood. */
export function errorAnswer(code: unknown): ProviderFailure {
	const isCode = typeof code === "string" && ERROR_CODE.test(code);
	const known = isCode && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
	return new ProviderFailure(
		known ?? "invalid_answer",
		`the provider answered the error ${isCode ? code : "it has no proper name for"}`,
	);
}
