// Single use of client assertions (RFC 7523) and DPoP proofs (RFC 9449).

import Provider, { errors } from "oidc-provider";
import { isNumber, objectOf, parseJson } from "../../kernel/shape.ts";
import { rememberAssertion } from "./client-assertions.ts";
import { theExchange } from "./exchange.ts";
import type { LibraryParts } from "./parts.ts";
import type { Records } from "./records.ts";

/** Signature algorithms of DPoP proofs. */
export const PROOF_SIGNATURES = ["ES256", "Ed25519", "EdDSA"];

/** Owner of the nonces; those of API clients are UUIDs. */
const OWNER = "dpop";
/** Never claimed: it is taken only below the floor. */
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
		const exchange = theExchange();
		const assertion = exchange.claimAssertion();
		if (assertion === undefined) {
			await usePossessionProof(parts, clientId, jti);
			return true;
		}
		if (!(await parts.db.stores.nonces.isFree(...UNCLAIMED, assertion.issuedAtSeconds)))
			throw new errors.InvalidClientAuth("the client assertion was signed before a restore");
		const isNew = await rememberAssertion(records, clientId, jti, expiresAt);
		if (isNew) await exchange.countClient(clientId);
		return isNew;
	};
}

/**
 * A DPoP proof is signed with a time and accepted within the same window as signed requests. It is therefore stored as
 * a nonce, and after a restore refused below their floor.
 */
async function usePossessionProof(
	{ db, digest }: LibraryParts,
	clientId: string,
	jti: string,
): Promise<void> {
	const isNew = await db.stores.nonces.claim(OWNER, digest(`${clientId} ${jti}`), signedAtSeconds());
	if (!isNew) throw new errors.InvalidDpopProof("the DPoP proof was used before, or signed before a restore");
}

/** `iat` of the current proof, which the library has verified. */
function signedAtSeconds(): number {
	const [, payload = ""] = String(Provider.ctx?.req.headers.dpop).split(".");
	return Math.floor(parseJson(hasIssueTime, Buffer.from(payload, "base64url").toString()).iat);
}
