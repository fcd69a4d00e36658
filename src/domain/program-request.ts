// A program request: people request a program that was not reviewed, or its document changed, and a reviewer decides.

import { type NamedTarget, named } from "./audit.ts";
import type { Program } from "./program.ts";
import { hostOf, type ProgramDocument } from "./program-document.ts";
import type { RequestState } from "./request.ts";

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

/** `withdrawn` when the program is removed, or its document is again as reviewed. */
export interface ProgramRequest extends RequestState {
	/** The document of a reviewed program changed or can no longer be read; otherwise, people ask for a program. */
	readonly isChange: boolean;
	/** The URL of the document. */
	readonly url: string;
	/** As read for this request. Null if it could not be read, which only a change allows. */
	readonly document: ProgramDocument | null;
	/** The redirect URI and the APIs that the program sent; empty for a change. */
	readonly redirectUri: string;
	readonly resources: readonly string[];
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

/** The program of a change. */
export type ChangedProgram = Pick<Program, "tenantId" | "applicationId" | "url">;

export interface ProgramRequestStore {
	/** @returns false if the URL has a pending request in the tenant: decided by the unique index. */
	insert(request: ProgramRequest): Promise<boolean>;
	/** The newest request for the URL. */
	findLatest(tenantId: string, url: string): Promise<ProgramRequest | undefined>;
	/** The pending request about a reviewed program, if its document changed. */
	findChange(program: ChangedProgram): Promise<ProgramRequest | undefined>;
	countPending(tenantId: string): Promise<number>;
	/** Inside a transaction: replaces what a pending change shows. */
	replaceDocument(id: string, document: ProgramDocument | null, nowMs: number): Promise<boolean>;
	/** Inside a transaction: withdraws the pending request about a program. */
	withdrawChange(program: ChangedProgram, nowMs: number): Promise<void>;
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
