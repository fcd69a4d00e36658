// The queue of reviewers: the requests of every kind, and the decision on each.

import type { Page, PageQuery } from "../kernel/page.ts";
import type { AccessRequest } from "./access-request.ts";
import type { ProgramRequest } from "./program-request.ts";
import type { RequestKind, RequestStatus, Reviewed } from "./request.ts";

export interface RequestOf {
	readonly partner: AccessRequest & { readonly kind: "partner" };
	readonly program: ProgramRequest & { readonly kind: "program" };
}
export type QueuedRequest = RequestOf[RequestKind];
export type ReviewedRequest = QueuedRequest & Reviewed;

export interface Decision {
	readonly status: "approved" | "rejected";
	readonly reviewNote: string;
	/** Null when a command or an admin key decided. */
	readonly reviewedBy: string | null;
	readonly reviewedAtMs: number;
	/** On approval: the id of what it creates. A request about an existing program keeps that. */
	readonly resultId: string | null;
}

export interface RequestQuery {
	readonly tenantId: string;
	readonly kind?: RequestKind;
	readonly status?: RequestStatus;
	/** Part of applicant name, email, company, or project name, ignoring case and accents, or of the URL of a program. */
	readonly q?: string;
	/** Other requests with the same email address or company, or for the same program. */
	readonly relatedTo?: QueuedRequest;
	/** Default: newest first. */
	readonly sort?: "newest" | "oldest";
}

export interface RequestStore {
	findById(tenantId: string, id: string): Promise<ReviewedRequest | undefined>;
	list(query: RequestQuery, page: PageQuery): Promise<Page<ReviewedRequest>>;
	/**
	 * Inside a transaction: decides a pending request, in one statement.
	 *
	 * @returns the decided request; undefined if it is absent or not pending.
	 */
	decide(tenantId: string, id: string, decision: Decision): Promise<QueuedRequest | undefined>;
}
