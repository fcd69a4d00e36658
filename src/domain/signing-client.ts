// An API client as the guard of signed requests loads it.

import type { ApiClient, Scope } from "./api-client.ts";
import type { ApplicationStatus } from "./application.ts";
import type { Caller } from "./caller.ts";
import type { SealedSecrets } from "./client-secret.ts";

type LoadedFields =
	| "id"
	| "name"
	| "tenantId"
	| "appId"
	| "mode"
	| "status"
	| "expiresAtMs"
	| "ipAllowlistMode";

/**
 * The part of a client that the signed guard loads, in one statement. Lists are JSON text as stored; the guard caches
 * the parsed lists.
 */
export interface SigningClient
	extends Pick<ApiClient, LoadedFields | "previousSecretExpiresAtMs">,
		SealedSecrets {
	/** The client may sign only while its application is active, or its tenant allows test clients. */
	readonly appStatus: ApplicationStatus;
	readonly scopes: string;
	readonly ipAllowlist: string;
	readonly publicKeys: string;
}

export interface SigningClientStore {
	/** Searches all tenants: the key identifies the client, the signature authenticates it. */
	findByApiKey(apiKey: string): Promise<SigningClient | undefined>;
}

/** An API client that signed the request. */
interface Signer extends Caller {
	readonly id: string;
	readonly appId: string;
	readonly scopes: readonly Scope[];
	/** The sealed Secret that created the signature, or the id of the key. */
	readonly signedWith: string;
}

/** The API client that signed the request, for endpoints. */
export interface CallingClient extends Signer {
	readonly mode: "live";
}

/** A test client that signed the request. Its calls must not read records of the tenant. */
export interface TestClient extends Signer {
	readonly mode: "test";
}

export type SignedCaller = CallingClient | TestClient;

/** Records accepted requests; writes them in batches. */
export interface UseRecorder {
	/** @param missedAllowlist whether the allowlist is in report mode and does not contain the IP address. */
	record(clientId: string, atMs: number, ip: string, missedAllowlist: boolean): void;
}
