// Client authentication with a key (`private_key_jwt`): OpenID Connect Core, section 9, and RFC 7523.

import Provider, { type Context, errors, type Payload } from "oidc-provider";
import { SIGNATURE_WINDOW_SECONDS } from "../../domain/nonce.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { CLIENT_PROFILE } from "./client-metadata.ts";
import { theCall } from "./library-call.ts";

/** Signature algorithms of client keys. */
export const CLIENT_SIGNATURES = ["ES256", "RS256", "PS256", "EdDSA", "Ed25519"];

/** FAPI 2.0 Security Profile, section 5.4: no RSASSA-PKCS1-v1_5. */
const FAPI_SIGNATURES = CLIENT_SIGNATURES.filter((alg) => alg !== "RS256");

/** Some client libraries always use one hour. It bounds how long a used assertion is stored. */
const LIFE_MAX_SECONDS = 3_600;
/** Clock skew that the library allows. */
const TOLERANCE_SECONDS = 15;

/** Whether the current request authenticates its client with an assertion; otherwise no keys are needed. */
export function presentsAssertion(): boolean {
	return Provider.ctx?.oidc?.params?.client_assertion !== undefined;
}

/**
 * Runs after the signature is verified. The library accepts one matching audience among several, and any lifetime.
 *
 * @throws InvalidClientAuth
 */
export function checkAssertion(
	{ oidc }: Context,
	{ aud, exp, iat }: Payload,
	{ alg }: Payload,
	client: Payload,
): void {
	if (client[CLIENT_PROFILE] === "fapi2" && !FAPI_SIGNATURES.some((allowed) => allowed === alg))
		throw new errors.InvalidClientAuth(`the profile fapi2 needs alg ${FAPI_SIGNATURES.join(", ")}`);
	const own = oidc.clientJwtAuthExpectedAudience();
	const audiences = Array.isArray(aud) ? aud : [aud];
	// An assertion for several servers could be replayed at each of them.
	if (!audiences.every((audience) => own.has(audience)))
		throw new errors.InvalidClientAuth("every audience of a client assertion must be this service");
	const now = Date.now() / SECOND_MS;
	const longest = LIFE_MAX_SECONDS + TOLERANCE_SECONDS;
	if (typeof exp !== "number" || !Number.isInteger(exp) || exp > now + longest)
		throw new errors.InvalidClientAuth(`exp must be whole seconds, at most ${LIFE_MAX_SECONDS} from now`);
	// Without `iat`, the assertion was signed at most the longest lifetime before `exp`.
	const issuedAt = typeof iat === "number" ? iat : exp - longest;
	if (issuedAt < now - longest || issuedAt > now + SIGNATURE_WINDOW_SECONDS)
		throw new errors.InvalidClientAuth(
			`iat must be at most ${LIFE_MAX_SECONDS} seconds ago, and ${SIGNATURE_WINDOW_SECONDS} ahead`,
		);
	theCall().acceptAssertion(Math.floor(issuedAt));
}
