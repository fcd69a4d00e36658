// Whether an authorization request needs a code challenge (RFC 7636), and how long its code is valid.

import { type Client, type Context, errors } from "oidc-provider";

/** Begins the description of a request without a challenge. */
export const CHALLENGE_MISSING = "send code_challenge (PKCE, S256)";
/** The longest nonce that can replace a challenge. */
const NONCE_MAX = 255;
const CODE_SECONDS = 60;
/** Of a client with `pkce: off`, whose codes only its credentials bind. */
const UNBOUND_CODE_SECONDS = 30;

/**
 * Without a challenge, the nonce of the ID token reveals an injected code to the client (RFC 9700, section 4.5.3.2), so
 * the request must have a nonce and ask for an ID token. A client with `pkce: off` needs only a state.
 *
 * @throws InvalidRequest if nothing replaces the challenge: the description says what to send.
 */
export function requiresChallenge({ oidc }: Context, client: Client): boolean {
	const { nonce = "", state = "" } = oidc.params;
	switch (client.pkce_policy) {
		case "off":
			if (state !== "") return false;
			throw new errors.InvalidRequest("a request without code_challenge must have a state");
		case "optional":
			if (nonce.length > 0 && nonce.length <= NONCE_MAX && oidc.requestParamScopes.has("openid"))
				return false;
			throw new errors.InvalidRequest(
				`a request without code_challenge must have a nonce of 1 to ${NONCE_MAX} characters and the scope openid`,
			);
		default:
			throw new errors.InvalidRequest(`${CHALLENGE_MISSING}${wayOut(client)}`);
	}
}

/** Only clients of type `web` have a secret and sign users in. */
function wayOut({ clientAuthMethod }: Client): string {
	return clientAuthMethod.startsWith("client_secret_")
		? "; an administrator can set pkce to optional for this client"
		: "";
}

export function codeSeconds(_context: Context, _code: unknown, client: Client): number {
	return client.pkce_policy === "off" ? UNBOUND_CODE_SECONDS : CODE_SECONDS;
}
