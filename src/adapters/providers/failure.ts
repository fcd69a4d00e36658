// Converts errors of the library to `ProviderFailure`, without parts of the response that could be secret.

import {
	AuthorizationResponseError,
	ClientError,
	ResponseBodyError,
	WWWAuthenticateChallengeError,
} from "openid-client";
import { ProviderFailure, type ProviderFailureReason } from "../../domain/provider-gateway.ts";

/** Error codes of RFC 6749, OpenID Connect, and individual providers with a reason other than `invalid_answer`. */
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
/** The discovery document lacks an endpoint, or has one that is not https. */
const METADATA_CODES = [
	"OAUTH_MISSING_SERVER_METADATA",
	"OAUTH_INVALID_SERVER_METADATA",
	"OAUTH_HTTP_REQUEST_FORBIDDEN",
];
/** Error codes are untrusted, and may come through the browser: only a plain code is logged. */
const ERROR_CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Causes of library errors contain codes, tokens, and bodies, so only messages are kept, which are fixed texts of the
 * libraries.
 *
 * @param duringUserinfo the provider has already accepted the client's id and secret.
 */
export function providerFailure(error: unknown, duringUserinfo = false): ProviderFailure {
	for (let cause = error; cause instanceof Error; cause = cause.cause)
		if (cause instanceof ProviderFailure) return cause;
	if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
		return errorResponse(error.error);
	if (error instanceof WWWAuthenticateChallengeError)
		return duringUserinfo
			? new ProviderFailure("invalid_answer", "the provider refuses its own access token")
			: new ProviderFailure("misconfigured", "the provider refuses the client's id and secret");
	if (error instanceof ClientError) {
		const { cause } = error;
		const hasDetail = cause instanceof Error && !(cause instanceof SyntaxError);
		const detail = hasDetail ? `: ${cause.message}` : cause instanceof Response ? `: ${cause.status}` : "";
		const reason = METADATA_CODES.includes(error.code ?? "") ? "misconfigured" : "invalid_answer";
		return new ProviderFailure(reason, `${error.message}${detail}`);
	}
	return new ProviderFailure("invalid_answer", "the response of the provider cannot be used");
}

/** Whether the response names another subject, or another issuer, than the expected one. */
export function isOtherValue(error: unknown): boolean {
	return error instanceof ClientError && error.code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED";
}

/** For discovery errors: the issuer differs, or the document is invalid. */
export function discoveryFailure(error: unknown): ProviderFailure {
	return isOtherValue(error)
		? new ProviderFailure("misconfigured", "the discovery document belongs to another issuer")
		: providerFailure(error);
}

/** For the `error` parameter of a standard response. */
export function errorResponse(code: unknown): ProviderFailure {
	return reportedError(code, (name) => (Object.hasOwn(REASONS, name) ? REASONS[name] : undefined));
}

/** For an error code of a provider. `reasonOf` returns the reason of a code if it is not `invalid_answer`. */
export function reportedError(
	code: unknown,
	reasonOf: (name: string) => ProviderFailureReason | undefined = () => undefined,
): ProviderFailure {
	const name = String(code);
	return ERROR_CODE.test(name)
		? new ProviderFailure(reasonOf(name) ?? "invalid_answer", `the provider returned the error ${name}`)
		: new ProviderFailure("invalid_answer", "the provider returned an error with an invalid code");
}
