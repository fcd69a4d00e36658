// Refused calls of API clients: what an administrator sees, and which ones are kept.

import { DAY_MS } from "../kernel/clock.ts";
import type { ErrorCode, RefusalReason } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";

/**
 * How many refusals are kept per client: the newest of each code, so that many of one kind do not hide another, and as
 * many with a valid signature as without, so that a stranger who knows the API key cannot displace the client's own.
 */
export const REFUSED_CALLS_OF_CODE = 20;
export const REFUSED_CALLS_OF_KIND = 50;
export const REFUSED_CALLS_KEPT_MS = 30 * DAY_MS;

export interface RefusedCall {
	readonly id: string;
	readonly tenantId: string;
	readonly clientId: string;
	readonly atMs: number;
	readonly code: ErrorCode;
	/** The detailed reason, which the response does not reveal. */
	readonly reason: RefusalReason | null;
	readonly method: string;
	/** Without query, at most 200 characters, with possible secrets masked. */
	readonly path: string;
	readonly ip: string;
	readonly requestId: string;
	/** Without a valid signature, only the API key identifies the client: anyone who knows the key may have called. */
	readonly signatureValid: boolean;
}

export interface RefusedCallStore {
	/** Inside a transaction: stores calls, and deletes the excess of each client. Ignores deleted clients. */
	add(calls: readonly RefusedCall[]): Promise<void>;
	/** Newest first. */
	list(tenantId: string, clientId: string, page: PageQuery): Promise<Page<RefusedCall>>;
	/** Deletes calls older than `REFUSED_CALLS_KEPT_MS`, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** A refused call as the guard sees it: `client` is undefined before the API key is looked up. */
export interface ObservedRefusal extends Omit<RefusedCall, "id" | "tenantId" | "clientId"> {
	readonly client: { readonly id: string; readonly tenantId: string } | undefined;
	/** As sent; well-formed. */
	readonly apiKey: string | undefined;
	/** The id in `X-Tenant-ID`, unauthenticated. */
	readonly namedTenantId: string | undefined;
}

/** Buffers refused calls in bounded memory; a job writes them every few seconds. */
export interface RefusalRecorder {
	record(call: ObservedRefusal): void;
}
