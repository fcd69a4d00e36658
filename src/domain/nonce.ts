// Nonces of signed requests, and of proofs of possession (DPoP): each is claimed once; timestamps at or below the floor
// are refused.

/** The maximum difference between the timestamp of a signed request and the service's clock, in seconds. */
export const SIGNATURE_WINDOW_SECONDS = 300;
/** Seconds a nonce is kept after the window: setting a clock back by less permits no replay. */
export const NONCE_KEPT_SECONDS = 3_600;

/** The owner of the nonces of DPoP proofs; the owners of other nonces are UUIDs of API clients. */
export const DPOP_NONCE_OWNER = "dpop";
/** The owner of the codes with which people sign in at an application behind a gate. */
export const GATE_NONCE_OWNER = "gate";

export interface NonceStore {
	/** Preloads earlier claims, to speed up the first claim. */
	load(): Promise<void>;
	/**
	 * Durable before it resolves. True for the first claim of (client, nonce) with a timestamp above the floor, false
	 * otherwise; across nodes, restarts, and clock changes. Not inside a transaction.
	 */
	claim(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/** What `claim` would return now, without claiming. */
	isFree(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/**
	 * Call inside a transaction, again and again. Deletes nonces signed before `beforeSeconds`, oldest first, about `limit`, after
	 * the floor has reached them: at or below it every claim is refused. With several writers, that takes some minutes.
	 * @returns how many were deleted.
	 */
	purge(beforeSeconds: number, limit: number): Promise<number>;
}
