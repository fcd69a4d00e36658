// A refused call: of an API client, of an OAuth client, or at a gate. What is stored, and how much of it.

import { DAY_MS } from "../kernel/clock.ts";
import type { ErrorCode } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";

export const REFUSAL_SUBJECTS = ["api_client", "oauth_client", "gate"] as const;
export type RefusalSubject = (typeof REFUSAL_SUBJECTS)[number];

/**
 * How many refusals are kept of one API client, OAuth client, or gate: the newest of each code, so that many of one kind
 * do not hide another, and of those the newest with a recognized caller and as many without, so that a stranger cannot
 * displace those of the callers.
 */
export const REFUSALS_KEPT: Readonly<
	Record<RefusalSubject, { readonly ofCode: number; readonly ofCallers: number }>
> = {
	api_client: { ofCode: 20, ofCallers: 50 },
	oauth_client: { ofCode: 20, ofCallers: 100 },
	gate: { ofCode: 1_000, ofCallers: 1_000 },
};
/** They contain IP addresses. */
export const REFUSALS_KEPT_MS = 30 * DAY_MS;

/** `caller` of a request that proved no caller: anyone may have sent it. */
export const NO_CALLER = "-";

interface RefusedRequest {
	readonly atMs: number;
	/** The error code of the response; of an OAuth client, the OAuth error (RFC 6749, section 5.2). */
	readonly code: string;
	/** More than the response reveals, at most 500 characters. */
	readonly reason: string | null;
	readonly method: string;
	/** Without query, at most 200 characters, with possible secrets masked. */
	readonly path: string;
	/** The position of the gate's rule, from 0; null if none was found. */
	readonly rule: number | null;
	/** As in `Latchkey-Caller`; `NO_CALLER` if the request proved none. */
	readonly caller: string;
	readonly ip: string;
	readonly requestId: string;
}

export interface Refusal extends RefusedRequest {
	readonly id: string;
	readonly tenantId: string;
	readonly subject: RefusalSubject;
	/** The API client that called, if it is known. */
	readonly apiClientId: string | null;
	/** The application of the client or gate; null for a test client. */
	readonly applicationId: string | null;
}

export interface NamedRefusal extends Refusal {
	/** The name of the API client or application. */
	readonly subjectName: string;
}

export interface RefusalQuery {
	readonly tenantId: string;
	readonly subject?: RefusalSubject | undefined;
	readonly apiClientId?: string | undefined;
	readonly applicationId?: string | undefined;
	readonly requestId?: string | undefined;
	readonly code?: string | undefined;
	/** Inclusive. */
	readonly fromMs?: number | undefined;
	/** Exclusive. */
	readonly toMs?: number | undefined;
}

export interface RefusalStore {
	/**
	 * Inside a transaction: stores refusals, and deletes the excess of each subject. Ignores those of deleted clients and
	 * applications.
	 */
	add(refusals: readonly Refusal[]): Promise<void>;
	/** Newest first. */
	list(query: RefusalQuery, page: PageQuery): Promise<Page<NamedRefusal>>;
	/** Deletes refusals older than `REFUSALS_KEPT_MS`, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** A refused signed call, as the guard sees it. */
export interface RefusedSignedCall extends RefusedRequest {
	readonly subject: "api_client";
	readonly code: ErrorCode;
	/** Undefined before the API key is looked up. */
	readonly client: { readonly id: string; readonly tenantId: string } | undefined;
	/** As sent; well-formed. */
	readonly apiKey: string | undefined;
	/** The id in `X-Tenant-ID`, unauthenticated. */
	readonly namedTenantId: string | undefined;
}

export interface RefusedOAuthRequest extends RefusedRequest {
	readonly subject: "oauth_client";
	/** The client ID, which anyone may know. */
	readonly applicationId: string;
}

export interface RefusedAtGate extends RefusedRequest {
	readonly subject: "gate";
	readonly tenantId: string;
	readonly applicationId: string;
	/** Of the recognized caller. */
	readonly apiClientId: string | null;
}

export type ObservedRefusal = RefusedSignedCall | RefusedOAuthRequest | RefusedAtGate;

/** Buffers refusals in bounded memory; a job writes them every few seconds. */
export interface RefusalRecorder {
	record(refusal: ObservedRefusal): void;
}
