// What signed requests need of the store: nonces claimed once, and a floor under which time is closed.

/** Seconds a signed request's timestamp may differ from the service's clock. */
export const SIGNATURE_WINDOW_SECONDS = 300;
/** How long past the window a nonce is kept, in seconds: a clock set back within it replays nothing. */
export const NONCE_KEPT_SECONDS = 3_600;

export interface NonceStore {
	/** Durable before it resolves: true for the first claim of (client, nonce), false for every later one. */
	claim(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/** The greatest timestamp ever purged, in seconds; everything at or below it is refused. 0 at first. */
	floorSeconds(): Promise<number>;
	/**
	 * Raises the floor to the greatest purged timestamp and deletes nonces signed before `beforeSeconds`, at most
	 * `limit` of them, in one transaction.
	 * @returns how many were deleted.
	 */
	purge(beforeSeconds: number, limit: number): Promise<number>;
}
