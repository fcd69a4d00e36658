// The queue of reviewers: the requests of every kind, and the decision on each.

import type { Page, PageQuery } from "../kernel/page.ts";
import type { AccessRequest } from "./access-request.ts";
import type { Administrator } from "./caller.ts";
import type { PersonRequest } from "./person-request.ts";
import type { ProgramRequest } from "./program-request.ts";
import type { RequestKind, RequestStatus, Reviewed } from "./request.ts";

export interface RequestOf {
	readonly partner: AccessRequest & { readonly kind: "partner" };
	readonly program: ProgramRequest & { readonly kind: "program" };
	readonly person: PersonRequest & { readonly kind: "person" };
}
export type QueuedRequest = RequestOf[RequestKind];
export type ReviewedRequest = QueuedRequest & Reviewed;

/** Who reads or decides requests. */
export interface Reviewer extends Administrator {
	/**
	 * Null with a role that admits to every request. Otherwise, the user, who sees the requests of people for the
	 * applications that name a group of theirs as reviewers.
	 */
	readonly memberId: string | null;
}

/** The requests that a reviewer may see. */
export type ReviewScope = Pick<Reviewer, "tenantId" | "memberId">;

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
	/** Null for every request of the tenant. */
	readonly memberId: string | null;
	/**
	 * Part of applicant name, email, company, or project name, ignoring case and accents, of the URL of a program, or of the
	 * names of a user or an application.
	 */
	readonly q?: string;
	/** Other requests with the same email address or company, for the same program, or of the same user. */
	readonly relatedTo?: QueuedRequest;
	/** Default: newest first. */
	readonly sort?: "newest" | "oldest";
}

export interface RequestStore {
	findById(scope: ReviewScope, id: string): Promise<ReviewedRequest | undefined>;
	list(query: RequestQuery, page: PageQuery): Promise<Page<ReviewedRequest>>;
	/** Whether the user is a member of the reviewers of an application. */
	isReviewer(tenantId: string, userId: string): Promise<boolean>;
	/**
	 * Inside a transaction: decides a pending request, in one statement.
	 *
	 * @returns the decided request; undefined if it is absent or not pending.
	 */
	decide(tenantId: string, id: string, decision: Decision): Promise<QueuedRequest | undefined>;
}
