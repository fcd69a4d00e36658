// An access request: a partner applies for API credentials, and a reviewer decides.

import type { ApiClient } from "./api-client.ts";
import { type NamedTarget, named } from "./audit.ts";
import type { Locale } from "./locale.ts";
import type { RequestState } from "./request.ts";

export const APPLICANT_NAME_MAX = 100;
export const COMPANY_MAX = 200;
export const PROJECT_NAME_MAX = 200;
export const PURPOSE_MAX = 2000;
export const CLAIM_SECONDS = 7 * 86_400;

export interface AccessRequest extends RequestState {
	readonly applicantName: string;
	/** Lower case, at most 254 characters. */
	readonly email: string;
	readonly company: string;
	readonly projectName: string;
	readonly purpose: string;
	/** Language of the applicant's mails, from the submission's `Accept-Language`. */
	readonly locale: Locale;
	/** When the Secret of the approved client was issued. */
	readonly claimedAtMs: number | null;
	/** Calls of its test client that succeeded. */
	readonly testCallsOk: number;
	readonly testCallsRefused: number;
}

/** Calls of one test client. */
export interface TestCalls {
	readonly clientId: string;
	readonly ok: number;
	readonly refused: number;
}

/** Call `withdraw`, `replaceClaim`, `consumeClaim`, `consumeTest`, and `addTestCalls` inside a transaction. */
export interface AccessRequestStore {
	/** @returns false if the email address has a pending request: decided by the unique index. */
	insert(
		request: AccessRequest & { readonly withdrawDigest: string; readonly testDigest: string | null },
	): Promise<boolean>;
	/** Searches all tenants: the token authenticates. @returns undefined if no pending request has the token. */
	findWithdrawable(withdrawDigest: string): Promise<AccessRequest | undefined>;
	/** Searches all tenants: the token authenticates. @returns the withdrawn request, or undefined if none is pending. */
	withdraw(withdrawDigest: string, nowMs: number): Promise<AccessRequest | undefined>;
	/** Sets or replaces the claim token. @returns the request; undefined if it is absent, not approved, or already claimed. */
	replaceClaim(
		tenantId: string,
		id: string,
		claimDigest: string,
		claimExpiresAtMs: number,
		nowMs: number,
	): Promise<AccessRequest | undefined>;
	/**
	 * Searches all tenants: the token authenticates. Consumes the token unless it has expired, so that at most one caller
	 * gets the request.
	 */
	consumeClaim(claimDigest: string, nowMs: number): Promise<AccessRequest | undefined>;
	/**
	 * Searches all tenants: the token authenticates. Consumes the token of a pending request, so that at most one caller
	 * gets it.
	 */
	consumeTest(testDigest: string, nowMs: number): Promise<AccessRequest | undefined>;
	/** Adds calls of test clients to their requests. Ignores deleted clients. */
	addTestCalls(calls: readonly TestCalls[]): Promise<void>;
}

/** As audit events name it. */
export function accessRequestTarget({ id, applicantName }: AccessRequest): NamedTarget {
	return named("access_request", id, applicantName);
}

/** Whether the client is unclaimed and has not expired. */
export function isClaimable(client: Pick<ApiClient, "status" | "expiresAtMs">, nowMs: number): boolean {
	return client.status === "unclaimed" && (client.expiresAtMs === null || nowMs < client.expiresAtMs);
}
