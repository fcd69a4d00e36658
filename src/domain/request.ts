// A request that a reviewer decides: what requests for API clients, for programs, and for roles have in common.

import { AppError } from "../kernel/error.ts";

/**
 * `partner`: an access request. `program`: people request a program, or the document of a reviewed one changed. `person`: a
 * user requests roles of an application.
 */
export const REQUEST_KINDS = ["partner", "program", "person"] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** `pending → approved | rejected | withdrawn`; all but `pending` are final. */
export const REQUEST_STATUSES = ["pending", "approved", "rejected", "withdrawn"] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

export const REVIEW_NOTE_MAX = 2000;

/** What a request of every kind has. */
export interface RequestState {
	readonly id: string;
	readonly tenantId: string;
	readonly status: RequestStatus;
	readonly reviewNote: string;
	readonly reviewedBy: string | null;
	readonly reviewedAtMs: number | null;
	/** The API client or the program that the approval created; of a change, the program that changed. */
	readonly resultId: string | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export const UNDECIDED = {
	status: "pending",
	reviewNote: "",
	reviewedBy: null,
	reviewedAtMs: null,
	resultId: null,
} as const;

/** As reviewers see it. */
export interface Reviewed {
	/** Username; null if no user decided, or the account was deleted. */
	readonly reviewedByName: string | null;
	/** Of a request of a person, as the names are now; null for the other kinds. */
	readonly username: string | null;
	readonly displayName: string | null;
	readonly appName: string | null;
}

export function requestNotFound(): AppError {
	return new AppError("request.not_found", "no such request");
}

export function requestDecided({ status }: Pick<RequestState, "status">): AppError {
	return new AppError("request.already_decided", `the request is already ${status}`);
}
