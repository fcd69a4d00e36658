// What signed requests need of the store: nonces claimed once, and a floor under which time is closed.

import type { AllowlistMode, ApiClientStatus, Scope } from "../api-clients/model.ts";

/** Seconds a signed request's timestamp may differ from the service's clock. */
export const SIGNATURE_WINDOW_SECONDS = 300;
/** How long past the window a nonce is kept, in seconds: a clock set back within it replays nothing. */
export const NONCE_KEPT_SECONDS = 3_600;

export interface NonceStore {
	/**
	 * Durable before it resolves: true for the first claim of (client, nonce) with a timestamp above the floor,
	 * false for every other. One statement decides, also between nodes and after the clock was set back.
	 */
	claim(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/** What `claim` would answer now; claims nothing. */
	isFree(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/**
	 * Deletes nonces signed before `beforeSeconds`, oldest first, at most `limit` of them, and raises the floor to
	 * the greatest timestamp deleted: at or below it every claim is refused. To be called inside a transaction.
	 * @returns how many were deleted.
	 */
	purge(beforeSeconds: number, limit: number): Promise<number>;
}

/** What the signed guard reads of a client, in one statement; lists are JSON text as stored, read once and remembered. */
export interface SigningClient {
	readonly id: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly status: ApiClientStatus;
	readonly expiresAtMs: number | null;
	readonly scopes: string;
	readonly ipAllowlist: string;
	readonly ipAllowlistMode: AllowlistMode;
	readonly secretSealed: string | null;
	readonly previousSecretSealed: string | null;
	readonly previousSecretExpiresAtMs: number | null;
}

export interface SigningClientStore {
	/** Over all tenants: the key names the client, the signature proves it. */
	findByApiKey(apiKey: string): Promise<SigningClient | undefined>;
}

/** A client whose request was proved, as endpoints see it. */
export interface CallingClient {
	readonly id: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly scopes: readonly Scope[];
	/** The sealed Secret that made the signature. */
	readonly secretSealed: string;
}

/** Told of each accepted request; writes it down later, many at once. */
export interface UseRecorder {
	/** `missedAllowlist`: the address is not on the client's allowlist, which only reports. */
	note(clientId: string, atMs: number, ip: string, missedAllowlist: boolean): void;
}
