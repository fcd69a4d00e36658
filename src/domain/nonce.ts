// Nonces of signed requests, and of proofs of possession (DPoP): each is claimed once; timestamps at or below the floor
// are refused.

/** Seconds by which the timestamp of a signed request may differ from the service's clock. */
export const SIGNATURE_WINDOW_SECONDS = 300;
/** Seconds a nonce is kept after the window: a clock set back by less allows no replay. */
export const NONCE_KEPT_SECONDS = 3_600;

export interface NonceStore {
	/** Reads what was claimed before, so that the first claim need not. */
	load(): Promise<void>;
	/**
	 * Durable before it resolves: true for the first claim of (client, nonce) with a timestamp above the floor,
	 * false otherwise; across nodes, restarts and after the clock was set back. Not inside a transaction.
	 */
	claim(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/** What `claim` would return now, without claiming. */
	isFree(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/**
	 * Call inside a transaction. Deletes nonces signed before `beforeSeconds`, oldest first, at most `limit`, and raises
	 * the floor to the greatest deleted timestamp: at or below it every claim is refused.
	 * @returns how many were deleted.
	 */
	purge(beforeSeconds: number, limit: number): Promise<number>;
}
