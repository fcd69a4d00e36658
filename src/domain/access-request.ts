// An access request: a partner applies for API credentials, and a reviewer decides.

import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { ApiClient } from "./api-client.ts";
import { type NamedTarget, named } from "./audit.ts";
import type { Locale } from "./locale.ts";

/** `pending → approved | rejected | withdrawn`; all but `pending` are final. */
export const ACCESS_REQUEST_STATUSES = ["pending", "approved", "rejected", "withdrawn"] as const;
export type AccessRequestStatus = (typeof ACCESS_REQUEST_STATUSES)[number];

export const APPLICANT_NAME_MAX = 100;
export const COMPANY_MAX = 200;
export const PROJECT_NAME_MAX = 200;
export const PURPOSE_MAX = 2000;
export const REVIEW_NOTE_MAX = 2000;
export const CLAIM_SECONDS = 7 * 86_400;

export interface AccessRequest {
	readonly id: string;
	readonly tenantId: string;
	readonly applicantName: string;
	/** Lower case, at most 254 characters. */
	readonly email: string;
	readonly company: string;
	readonly projectName: string;
	readonly purpose: string;
	/** Language of the applicant's mails, from the submission's `Accept-Language`. */
	readonly locale: Locale;
	readonly status: AccessRequestStatus;
	readonly reviewNote: string;
	readonly reviewedBy: string | null;
	readonly reviewedAtMs: number | null;
	/** Set by approval. */
	readonly apiClientId: string | null;
	/** When the Secret of the approved client was issued. */
	readonly claimedAtMs: number | null;
	/** Calls of its test client that succeeded. */
	readonly testCallsOk: number;
	readonly testCallsRefused: number;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** As reviewers see it. `reviewedByName` is null if no user decided, or the account was deleted. */
export interface ReviewedAccessRequest extends AccessRequest {
	/** Username. */
	readonly reviewedByName: string | null;
}

export interface Review {
	readonly status: "approved" | "rejected";
	readonly reviewNote: string;
	/** Null when a command or an admin key decided. */
	readonly reviewedBy: string | null;
	readonly reviewedAtMs: number;
	/** On approval: the new client and the digest of the claim token. */
	readonly approval?: {
		readonly apiClientId: string;
		readonly claimDigest: string;
		readonly claimExpiresAtMs: number;
	};
}

export interface AccessRequestQuery {
	readonly tenantId: string;
	readonly status?: AccessRequestStatus;
	/** Part of applicant name, email, company, or project name, ignoring case and accents. */
	readonly q?: string;
	/** Other requests with the same email address, or the same company ignoring case and accents. */
	readonly relatedTo?: Pick<AccessRequest, "id" | "email" | "company">;
	/** Default: newest first. */
	readonly sort?: "newest" | "oldest";
}

/** Calls of one test client. */
export interface TestCalls {
	readonly clientId: string;
	readonly ok: number;
	readonly refused: number;
}

/** Call `decide`, `withdraw`, `replaceClaim`, `consumeClaim`, `consumeTest`, and `addTestCalls` inside a transaction. */
export interface AccessRequestStore {
	/** @returns false if the email address has a pending request: decided by the unique index. */
	insert(
		request: AccessRequest & { readonly withdrawDigest: string; readonly testDigest: string | null },
	): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<ReviewedAccessRequest | undefined>;
	list(query: AccessRequestQuery, page: PageQuery): Promise<Page<ReviewedAccessRequest>>;
	/**
	 * Decides a pending request, in one statement.
	 *
	 * @returns the decided request; undefined if it is absent or not pending.
	 */
	decide(tenantId: string, id: string, review: Review): Promise<AccessRequest | undefined>;
	/** Searches all tenants: the token authenticates. @returns undefined if no pending request has the token. */
	findWithdrawable(withdrawDigest: string): Promise<AccessRequest | undefined>;
	/** Searches all tenants: the token authenticates. @returns the withdrawn request, or undefined if none is pending. */
	withdraw(withdrawDigest: string, nowMs: number): Promise<AccessRequest | undefined>;
	/** Replaces the claim token. @returns the request; undefined if it is absent, not approved, or already claimed. */
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

export function alreadyDecided({ status }: Pick<AccessRequest, "status">): AppError {
	return new AppError("access_request.already_decided", `the access request is already ${status}`);
}

/** As audit events name it. */
export function accessRequestTarget({ id, applicantName }: AccessRequest): NamedTarget {
	return named("access_request", id, applicantName);
}

export function accessRequestNotFound(): AppError {
	return new AppError("access_request.not_found", "no such access request");
}

/** Whether the client is unclaimed and has not expired. */
export function isClaimable(client: Pick<ApiClient, "status" | "expiresAtMs">, nowMs: number): boolean {
	return client.status === "unclaimed" && (client.expiresAtMs === null || nowMs < client.expiresAtMs);
}
