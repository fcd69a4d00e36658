// The credential that a request presents, by which wrong proofs are counted.

import type { AskedGate } from "../../../domain/gate.ts";
import { GATE_COOKIE } from "../../../domain/gate-browser.ts";
import type { ErrorCode } from "../../../kernel/error.ts";
import type { AskedCall } from "./asked-call.ts";

const SESSION_COOKIE = "__Host-latchkey";
/** Other schemes are no proof. */
export const TOKEN_SCHEME = /^(Bearer|DPoP)(?: (.*))?$/i;

/** The cookie of the session of people at this gate. */
export function sessionCookieOf({ browserOrigin }: Pick<AskedGate, "browserOrigin">): string {
	return browserOrigin === null ? SESSION_COOKIE : GATE_COOKIE;
}

/** Undefined for a request without a proof. The API key of a signature, which others may know, else the secret itself. */
export function presentedCredential(
	call: Pick<AskedCall, "headerValues" | "cookie">,
	gate: Pick<AskedGate, "browserOrigin" | "ownTokens">,
): string | undefined {
	if (call.headerValues("x-signature").length > 0) return `key ${call.headerValues("x-api-key").join()}`;
	const [authorization] = gate.ownTokens === 1 ? [] : call.headerValues("authorization");
	if (authorization !== undefined && TOKEN_SCHEME.test(authorization)) return `token ${authorization}`;
	const cookie = call.cookie(sessionCookieOf(gate));
	return cookie === undefined ? undefined : `session ${cookie}`;
}

/** Whether a refusal says that a proof is wrong. Every other refusal of a request with a proof counts nowhere. */
export function isWrongProof(code: ErrorCode): boolean {
	return code.startsWith("signature.") || WRONG_PROOFS.includes(code);
}

const WRONG_PROOFS: readonly ErrorCode[] = ["token.invalid", "session.ended", "nonce.reused"];
