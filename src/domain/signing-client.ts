// An API client as the guard of signed requests loads it.

import type { AllowlistMode } from "./allowlist.ts";
import type { ApiClientStatus, Scope } from "./api-client.ts";
import type { ApplicationStatus } from "./application.ts";
import type { Caller } from "./caller.ts";

/**
 * What the signed guard loads of a client, in one statement. Lists are JSON text as stored; parsed lists are cached.
 */
export interface SigningClient {
	readonly id: string;
	readonly tenantId: string;
	readonly appId: string;
	/** The client signs only while its application is active. */
	readonly appStatus: ApplicationStatus;
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
	/** Searches all tenants: the key identifies the client, the signature authenticates it. */
	findByApiKey(apiKey: string): Promise<SigningClient | undefined>;
}

/** The API client that signed the request, for endpoints. */
export interface CallingClient extends Caller {
	readonly id: string;
	readonly appId: string;
	readonly scopes: readonly Scope[];
	/** The sealed Secret that created the signature. */
	readonly secretSealed: string;
}

/** Records accepted requests; writes them in batches. */
export interface UseRecorder {
	/** @param missedAllowlist the IP address is not on the allowlist, which is in report mode. */
	note(clientId: string, atMs: number, ip: string, missedAllowlist: boolean): void;
}
