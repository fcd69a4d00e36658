// Which store of nonces an engine has: by the database, or by the memory of its only service.

import type { NonceStore } from "../../domain/nonce.ts";
import type { Engine, Queries } from "../sql/engine.ts";
import { BatchedClaims, type KeyedDigest } from "./batched-claims.ts";
import { createNonceStore } from "./nonce-store.ts";

/**
 * @param keyedDigest undefined in a process that does not hold the data folder: the service would not know of its claims.
 * @returns the store on one connection.
 */
export function nonceStores(
	engine: Engine,
	keyedDigest: KeyedDigest | undefined,
): (queries: Queries) => NonceStore {
	if (!engine.soleWriter) return createNonceStore;
	const claims = keyedDigest === undefined ? undefined : new BatchedClaims(engine, keyedDigest);
	return (queries) => {
		const { purge } = createNonceStore(queries);
		if (claims === undefined)
			return refusing(purge, "nonces are claimed by the process that holds the data folder");
		if (queries !== engine.queries)
			return refusing(purge, "a nonce is claimed by a commit of its own, not inside a transaction");
		return {
			load: () => claims.load(),
			claim: (...claim) => claims.claim(...claim),
			isFree: (...claim) => claims.isFree(...claim),
			purge,
		};
	};
}

function refusing(purge: NonceStore["purge"], message: string): NonceStore {
	const refuse = () => Promise.reject(new Error(message));
	return { load: refuse, claim: refuse, isFree: refuse, purge };
}
