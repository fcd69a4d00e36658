// Whether an authorization request needs a code challenge (RFC 7636).

import { type Client, type Context, errors } from "oidc-provider";

/** The longest nonce that can replace a challenge. */
const NONCE_MAX = 255;

/**
 * Without a challenge, the nonce of the ID token reveals an injected code to the client (RFC 9700, section 4.5.3.2), so
 * the request must have a nonce and ask for an ID token.
 *
 * @throws InvalidRequest if the client may omit the challenge, but nothing replaces it.
 */
export function requiresChallenge({ oidc }: Context, { pkce_policy: policy }: Client): boolean {
	if (policy !== "optional") return true;
	const { nonce = "" } = oidc.params;
	const isProtected = nonce.length > 0 && nonce.length <= NONCE_MAX && oidc.requestParamScopes.has("openid");
	if (isProtected) return false;
	throw new errors.InvalidRequest(
		`a request without code_challenge must have a nonce of 1 to ${NONCE_MAX} characters and the scope openid`,
	);
}
