// Single use of client assertions (RFC 7523) and DPoP proofs (RFC 9449).

import Provider, { errors } from "oidc-provider";
import { DPOP_NONCE_OWNER } from "../../domain/nonce.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { isNumber, objectOf, parseJson } from "../../kernel/shape.ts";

import { theCall } from "./library-call.ts";
import type { LibraryParts } from "./parts.ts";
import type { Records } from "./records.ts";

/** Signature algorithms of DPoP proofs. */
export const PROOF_SIGNATURES = ["ES256", "Ed25519", "EdDSA"];

/** A nonce that is never claimed, so it is free exactly above the floor. */
const UNCLAIMED = ["assertion", "unclaimed"] as const;
const hasIssueTime = objectOf({ iat: isNumber });

/**
 * The library calls this for every verified proof. It uses the result for client assertions; a used DPoP proof is
 * refused here, because the library has another error for it at each endpoint.
 *
 * @throws InvalidDpopProof, InvalidClientAuth
 */
export function useProofsOnce(parts: LibraryParts, records: Records) {
	return async (clientId: string, jti: string, expiresAt: number): Promise<boolean> => {
		const call = theCall();
		const assertion = call.claimAssertion();
		if (assertion === undefined) {
			await usePossessionProof(parts, clientId, jti);
			return true;
		}
		if (!(await isSinceRestore(parts, assertion.issuedAtSeconds)))
			throw new errors.InvalidClientAuth("the client assertion was signed before a restore");
		// One insert decides the first use, where the library would read and then write.
		const seconds = Math.ceil(expiresAt - Date.now() / SECOND_MS);
		const isNew = await records.remember(`${clientId} ${jti}`, seconds);
		if (isNew) await call.countClient(clientId);
		return isNew;
	};
}

/** A restore empties the records of what was used. */
export function isSinceRestore({ db }: LibraryParts, signedAtSeconds: number): Promise<boolean> {
	return db.stores.nonces.isFree(...UNCLAIMED, signedAtSeconds);
}

/**
 * A DPoP proof contains its time and is accepted within the same window as signed requests. It is therefore stored as a
 * nonce, and refused below the floor of nonces after a restore.
 */
async function usePossessionProof(
	{ db, digest }: LibraryParts,
	clientId: string,
	jti: string,
): Promise<void> {
	const isNew = await db.stores.nonces.claim(
		DPOP_NONCE_OWNER,
		digest(`${clientId} ${jti}`),
		signedAtSeconds(),
	);
	if (!isNew) throw new errors.InvalidDpopProof("the DPoP proof was used before, or signed before a restore");
}

/** `iat` of the current proof, which the library has verified. */
function signedAtSeconds(): number {
	const [, payload = ""] = String(Provider.ctx?.req.headers.dpop).split(".");
	return Math.floor(parseJson(hasIssueTime, Buffer.from(payload, "base64url").toString()).iat);
}
