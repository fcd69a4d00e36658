// Verifies an access token for an API: the token, its client, and the key to which it is bound.

import type { ApiTokenClaims } from "../../../crypto/api-token.ts";
import { tokenDigest } from "../../../crypto/digest.ts";
import { verifyPossession } from "../../../crypto/possession-proof.ts";
import { DPOP_NONCE_OWNER, SIGNATURE_WINDOW_SECONDS } from "../../../domain/nonce.ts";
import { findTokenHolders, type TokenHolders } from "../../../domain/token-holder.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

export type ApiTokenNeeds = Needs<
	"nonces" | "oauthClients" | "oauthGrants" | "programs",
	"clock" | "readApiToken"
>;

export interface PresentedToken {
	readonly scheme: "bearer" | "dpop";
	readonly token: string;
}

/** The request that carries the token. */
export interface TokenCall {
	readonly method: string;
	/** As the caller addressed it, without query. Undefined if it is unknown: no proof of possession is accepted then. */
	readonly url: string | undefined;
	headerValues(name: string): readonly string[];
}

export interface VerifiedToken extends TokenHolders {
	readonly claims: ApiTokenClaims;
}

/** @param isExpected whether the token is for this use. @throws AppError `token.invalid` */
export async function readToken(
	{ readApiToken }: Pick<ApiTokenNeeds, "readApiToken">,
	{ token }: PresentedToken,
	isExpected: (claims: ApiTokenClaims) => boolean,
): Promise<ApiTokenClaims> {
	const claims = await readApiToken(token);
	if (claims === undefined || !isExpected(claims)) throw invalidToken();
	return claims;
}

/**
 * Its clients are read, so that a token ends with them. The caller checks the grant of a user.
 *
 * @param claims from `readToken`
 * @throws AppError `token.invalid`
 */
export async function verifyApiToken(
	needs: ApiTokenNeeds,
	call: TokenCall,
	{ scheme, token }: PresentedToken,
	claims: ApiTokenClaims,
): Promise<VerifiedToken> {
	const holders = await findTokenHolders(needs.db.stores, claims, needs.clock());
	if (holders === undefined) throw invalidToken();
	if ((claims.cnf !== undefined) !== (scheme === "dpop")) throw invalidToken();
	if (claims.cnf !== undefined) await requirePossession(needs, call, token, claims, claims.cnf.jkt);
	return { claims, ...holders };
}

/** RFC 9449, section 4.3. A proof is used once, durably. @throws AppError `token.invalid` */
async function requirePossession(
	{ db, clock }: ApiTokenNeeds,
	{ method, url, headerValues }: TokenCall,
	accessToken: string,
	{ client_id: clientId }: ApiTokenClaims,
	thumbprint: string,
): Promise<void> {
	const [proof, ...others] = headerValues("dpop");
	const nowMs = clock();
	if (proof === undefined || others.length > 0 || url === undefined) throw invalidToken();
	const proved = await verifyPossession(proof, { method, url, accessToken, thumbprint, nowMs });
	if (proved === undefined) throw invalidToken();
	const { jti, issuedAtSeconds } = proved;
	if (Math.abs(nowMs / SECOND_MS - issuedAtSeconds) > SIGNATURE_WINDOW_SECONDS) throw invalidToken();
	const nonce = tokenDigest(`${clientId} ${jti}`);
	if (!(await db.stores.nonces.claim(DPOP_NONCE_OWNER, nonce, issuedAtSeconds))) throw invalidToken();
}

export function invalidToken(): AppError {
	return new AppError("token.invalid", "access token is invalid, expired, or for another API");
}
