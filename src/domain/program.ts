// A program: an application that names itself by the URL of its metadata document, as a reviewer approved it.

import { DAY_MS } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { AccessPolicy } from "./application.ts";
import type { AssertionAudience } from "./assertion.ts";
import { type NamedTarget, named } from "./audit.ts";
import type { ProgramDocument } from "./program-document.ts";

export const PROGRAM_STATUSES = ["active", "suspended"] as const;
export type ProgramStatus = (typeof PROGRAM_STATUSES)[number];

/** `check`: the daily check, after 14 days without a decision about a change. */
export const PROGRAM_SUSPENDERS = ["administrator", "check"] as const;
export type ProgramSuspender = (typeof PROGRAM_SUSPENDERS)[number];

/** How often a document is read again. */
export const READ_AGAIN_MS = DAY_MS;
/** After this time without a readable document, reviewers decide. */
export const UNREADABLE_MS = 7 * DAY_MS;
/** After this time without a decision about a change, the program is suspended. */
export const UNDECIDED_MS = 14 * DAY_MS;
/** The same difference that reappears within this time keeps its deadline. */
export const SETTLED_MS = 7 * DAY_MS;

export interface Program {
	/** Also its OAuth client. */
	readonly applicationId: string;
	readonly tenantId: string;
	/** Its `client_id`. */
	readonly url: string;
	readonly status: ProgramStatus;
	/** Null while active. An approval lifts only the suspension of the check. */
	readonly suspendedBy: ProgramSuspender | null;
	/** As reviewed: the only document that counts. */
	readonly document: ProgramDocument;
	/** Null means never. */
	readonly expiresAtMs: number | null;
	/** Null when an admin key decided. */
	readonly reviewedBy: string | null;
	readonly reviewedAtMs: number;
	/** When the document was last readable. */
	readonly readAtMs: number;
	readonly nextReadAtMs: number;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** As administrators see it. */
export interface ListedProgram extends Program {
	readonly accessPolicy: AccessPolicy;
	readonly allowedResources: readonly string[];
	readonly assertionAudiences: readonly AssertionAudience[];
}

export type ProgramChanges = Partial<
	Omit<Program, "applicationId" | "tenantId" | "url" | "createdAtMs" | "updatedAtMs">
>;

export interface ProgramStore {
	/** @returns false when the tenant has a program with this URL. */
	insert(program: Program): Promise<boolean>;
	find(tenantId: string, applicationId: string): Promise<ListedProgram | undefined>;
	findByUrl(tenantId: string, url: string): Promise<Program | undefined>;
	/** In every tenant that reviewed it. */
	listByUrl(url: string): Promise<Program[]>;
	list(tenantId: string, status: ProgramStatus | undefined, page: PageQuery): Promise<Page<ListedProgram>>;
	/** Inside a transaction. */
	update(tenantId: string, applicationId: string, changes: ProgramChanges, nowMs: number): Promise<boolean>;
	/** Inside a transaction, for the daily check. @returns false if it is suspended, or was reviewed since it was read. */
	suspendUndecided(program: Program, nowMs: number): Promise<boolean>;
	/** Claims a program whose document is due, and sets when it is due again, so that each node gets another one. */
	claimDue(nowMs: number, nextReadAtMs: number): Promise<Program | undefined>;
}

/** Whether codes and tokens are issued to it. */
export function isInUse(
	{ status, expiresAtMs }: Pick<Program, "status" | "expiresAtMs">,
	nowMs: number,
): boolean {
	return status === "active" && (expiresAtMs === null || nowMs < expiresAtMs);
}

/** As audit events name it. */
export function programTarget({
	applicationId,
	document,
}: Pick<Program, "applicationId" | "document">): NamedTarget {
	return named("program", applicationId, document.name);
}

export function programNotFound(): AppError {
	return new AppError("program.not_found", "no such program");
}

/** What a review decided can be changed only by another review. */
export function isProgramError(): AppError {
	return new AppError(
		"application.is_program",
		"the application is a program: change it under /programs, and its document by a review",
	);
}
