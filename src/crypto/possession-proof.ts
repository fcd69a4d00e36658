// Verifies proofs of possession (DPoP, RFC 9449).

import * as errors from "jose/errors";
import { EmbeddedJWK } from "jose/jwk/embedded";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { jwtVerify } from "jose/jwt/verify";
import { equalTexts, sha256Base64url } from "./digest.ts";

/** Of the proofs that are accepted. */
export const POSSESSION_ALGORITHMS = ["ES256", "Ed25519", "EdDSA"];
const MAX_LENGTH = 8_192;
const JTI_MAX = 256;

export interface ExpectedProof {
	readonly method: string;
	/** Without query. */
	readonly url: string;
	readonly accessToken: string;
	/** The thumbprint of the key to which the token is bound. */
	readonly thumbprint: string;
	readonly nowMs: number;
}

/** The id and the time of a valid proof. The caller checks its age and accepts it once. */
export interface PossessionProof {
	readonly jti: string;
	readonly issuedAtSeconds: number;
}

/** @returns undefined unless the proof is for this method, URL, and token, and signed with this key (section 4.3). */
export async function verifyPossession(
	proof: string,
	{ method, url, accessToken, thumbprint, nowMs }: ExpectedProof,
): Promise<PossessionProof | undefined> {
	if (proof.length > MAX_LENGTH) return undefined;
	try {
		const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
			algorithms: POSSESSION_ALGORITHMS,
			typ: "dpop+jwt",
			currentDate: new Date(nowMs),
		});
		const { jwk } = protectedHeader;
		if (jwk === undefined || (await calculateJwkThumbprint(jwk)) !== thumbprint) return undefined;
		const { htm, htu, ath, jti, iat } = payload;
		const isForToken = typeof ath === "string" && equalTexts(ath, sha256Base64url(accessToken));
		const isForRequest = htm === method && typeof htu === "string" && withoutQuery(htu) === url;
		const isComplete =
			typeof jti === "string" && jti !== "" && jti.length <= JTI_MAX && typeof iat === "number";
		return isForToken && isForRequest && isComplete ? { jti, issuedAtSeconds: Math.floor(iat) } : undefined;
	} catch (error) {
		// A DOMException: the key of the proof cannot be imported.
		if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
			return undefined;
		throw error;
	}
}

function withoutQuery(htu: string): string | undefined {
	if (!URL.canParse(htu)) return undefined;
	const url = new URL(htu);
	return `${url.origin}${url.pathname}`;
}
