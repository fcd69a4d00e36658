// A program request: people request a program that was not reviewed, or its document changed, and a reviewer decides.

import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { AccessRequestStatus } from "./access-request.ts";
import { type NamedTarget, named } from "./audit.ts";
import { hostOf, type ProgramDocument } from "./program-document.ts";

/** `new`: people ask. `change`: the document of a reviewed program changed or can no longer be read. */
export const PROGRAM_REQUEST_KINDS = ["new", "change"] as const;
export type ProgramRequestKind = (typeof PROGRAM_REQUEST_KINDS)[number];

/** Limits: the reason in code points. */
export const PROGRAM_REASON_MIN = 10;
export const PROGRAM_REASON_MAX = 500;
export const PENDING_PROGRAM_REQUESTS_MAX = 200;
export const PROGRAM_REQUESTS_PER_HOUR = 5;

/** What a program sent to `/oauth/authorize`, kept while the page is open. */
export interface AskedProgram {
	/** Its `client_id`. */
	readonly url: string;
	readonly redirectUri: string;
	readonly resources: readonly string[];
	readonly state: string | null;
	/** The authorization request, to continue with. */
	readonly query: string;
}

export interface ProgramRequest {
	readonly id: string;
	readonly tenantId: string;
	readonly kind: ProgramRequestKind;
	/** The URL of the document. */
	readonly url: string;
	/** As in access requests; `withdrawn` when the program is removed. */
	readonly status: AccessRequestStatus;
	/** As read for this request. Null if it could not be read, which only a change allows. */
	readonly document: ProgramDocument | null;
	/** The redirect URI and the APIs that the program sent; empty for a change. */
	readonly redirectUri: string;
	readonly resources: readonly string[];
	/** The program that changed, or that the approval created. */
	readonly applicationId: string | null;
	readonly reviewNote: string;
	readonly reviewedBy: string | null;
	readonly reviewedAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** A person who asked. */
export interface ProgramAsker {
	readonly requestId: string;
	readonly tenantId: string;
	readonly userId: string;
	readonly reason: string;
	readonly createdAtMs: number;
}

/** As reviewers see them. */
export interface NamedAsker extends ProgramAsker {
	readonly username: string;
}

/** As reviewers see it. */
export interface ReviewedProgramRequest extends ProgramRequest {
	/** Username; null if no user decided, or the account was deleted. */
	readonly reviewedByName: string | null;
}

export interface ProgramReview extends Pick<ProgramRequest, "reviewNote" | "reviewedBy" | "applicationId"> {
	readonly status: "approved" | "rejected";
	readonly reviewedAtMs: number;
}

export interface ProgramRequestQuery {
	readonly tenantId: string;
	readonly status?: AccessRequestStatus;
	/** Part of the URL, ignoring case. */
	readonly q?: string;
	/** Default: newest first. */
	readonly sort?: "newest" | "oldest";
}

export interface ProgramRequestStore {
	/** @returns false if the URL has a pending request in the tenant: decided by the unique index. */
	insert(request: ProgramRequest): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<ReviewedProgramRequest | undefined>;
	/** The newest request for the URL. */
	findLatest(tenantId: string, url: string): Promise<ProgramRequest | undefined>;
	/** The pending request about a reviewed program, if its document changed. */
	findChange(tenantId: string, applicationId: string): Promise<ProgramRequest | undefined>;
	countPending(tenantId: string): Promise<number>;
	list(query: ProgramRequestQuery, page: PageQuery): Promise<Page<ReviewedProgramRequest>>;
	/** Inside a transaction. @returns the decided request; undefined if it is absent or not pending. */
	decide(tenantId: string, id: string, review: ProgramReview): Promise<ProgramRequest | undefined>;
	/** Inside a transaction: replaces what a pending change shows. */
	replaceDocument(id: string, document: ProgramDocument | null, nowMs: number): Promise<boolean>;
	/** Inside a transaction: withdraws the pending request about a program. */
	withdrawChange(tenantId: string, applicationId: string, nowMs: number): Promise<void>;
	/** Adds a person to a request that is pending. @returns false if it is not, or the person asked before. */
	join(asker: ProgramAsker): Promise<boolean>;
	/** Oldest first. */
	listAskers(tenantId: string, requestId: string): Promise<NamedAsker[]>;
}

/** As audit events name it. */
export function programRequestTarget({
	id,
	url,
	document,
}: Pick<ProgramRequest, "id" | "url" | "document">): NamedTarget {
	return named("program_request", id, document?.name ?? hostOf(url));
}

export function programRequestNotFound(): AppError {
	return new AppError("program_request.not_found", "no such program request");
}

export function programRequestDecided({ status }: Pick<ProgramRequest, "status">): AppError {
	return new AppError("program_request.already_decided", `the program request is already ${status}`);
}
