// Proofs that work once: client assertions (RFC 7523) and proofs of possession (DPoP, RFC 9449).

import Provider, { errors } from "oidc-provider";
import { isNumber, objectOf, parseJson } from "../../kernel/shape.ts";
import { rememberAssertion } from "./client-assertions.ts";
import { theExchange } from "./exchange.ts";
import type { LibraryParts } from "./parts.ts";
import type { Records } from "./records.ts";

/** What a key of a program can sign proofs of possession with. */
export const PROOF_SIGNATURES = ["ES256", "Ed25519", "EdDSA"];

/** Whose nonces they are, beside those of API clients, whose ids are UUIDs. */
const OWNER = "dpop";
/** Claimed by none: it is not free below the floor only. */
const UNCLAIMED = ["assertion", "unclaimed"] as const;
const hasIssueTime = objectOf({ iat: isNumber });

/**
 * The library asks this of every proof that it has verified. It uses the answer for client assertions; a used proof of
 * possession is refused here, because the library has another error for it at each endpoint.
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
 * A proof is a signed request with a time of its own, and is taken in the same window: so it is a nonce like others, with
 * their floor, below which nothing is taken after a restore.
 */
async function usePossessionProof(
	{ db, digest }: LibraryParts,
	clientId: string,
	jti: string,
): Promise<void> {
	const isNew = await db.stores.nonces.claim(OWNER, digest(`${clientId} ${jti}`), signedAtSeconds());
	if (!isNew) throw new errors.InvalidDpopProof("the DPoP proof was used before, or signed before a restore");
}

/** `iat` of the proof at hand, which the library has verified. */
function signedAtSeconds(): number {
	const [, payload = ""] = String(Provider.ctx?.req.headers.dpop).split(".");
	return Math.floor(parseJson(hasIssueTime, Buffer.from(payload, "base64url").toString()).iat);
}
