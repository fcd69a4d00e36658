// An access request: an outside party asks for API credentials, a reviewer decides. Specification, "Access request".

import type { Page, PageQuery } from "../../kernel/page.ts";
import type { ApiClient } from "../api-clients/model.ts";
import type { Locale } from "../mail/model.ts";

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
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export interface Review {
	readonly status: "approved" | "rejected";
	readonly reviewNote: string;
	readonly reviewedBy: string;
	readonly reviewedAtMs: number;
	/** With an approval: the client made for it and the digest of the claim token. */
	readonly approval?: {
		readonly apiClientId: string;
		readonly claimDigest: string;
		readonly claimExpiresAtMs: number;
	};
}

export interface AccessRequestQuery {
	readonly tenantId: string;
	readonly status?: AccessRequestStatus;
	/** Part of applicant name, e-mail, company or project name, without regard to ASCII case. */
	readonly q?: string;
}

/** What answers a row (`decide`, `withdraw`, `replaceClaim`, `consumeClaim`) runs inside a transaction only. */
export interface AccessRequestStore {
	/** @returns false when the e-mail has a pending request: decided by the unique index. */
	insert(request: AccessRequest & { readonly withdrawDigest: string }): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<AccessRequest | undefined>;
	list(query: AccessRequestQuery, page: PageQuery): Promise<Page<AccessRequest>>;
	/** Decides only while pending, in one statement. @returns the decided request; undefined when it was decided before, or is absent. */
	decide(tenantId: string, id: string, review: Review): Promise<AccessRequest | undefined>;
	/** Over all tenants: the token is the proof. Withdraws the pending request behind it. @returns it, or undefined when there is none. */
	withdraw(withdrawDigest: string, nowMs: number): Promise<AccessRequest | undefined>;
	/** Puts a fresh claim token in place of the old one. @returns the request; undefined when it is not approved or was claimed, or is absent. */
	replaceClaim(
		tenantId: string,
		id: string,
		claimDigest: string,
		claimExpiresAtMs: number,
		nowMs: number,
	): Promise<AccessRequest | undefined>;
	/** Over all tenants: the token is the proof. Uses it up unless it has expired: at most one caller ever gets the request. */
	consumeClaim(claimDigest: string, nowMs: number): Promise<AccessRequest | undefined>;
}

/** Whether a claim would give credentials that work: the client still waits for its Secret and has not expired. */
export function isClaimable(client: Pick<ApiClient, "status" | "expiresAtMs">, nowMs: number): boolean {
	return client.status === "unclaimed" && (client.expiresAtMs === null || nowMs < client.expiresAtMs);
}
