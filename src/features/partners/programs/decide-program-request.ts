// Approves or rejects a pending program request, and mails the people who asked.

import { checkExpiry } from "../../../domain/api-client.ts";
import type { Administrator } from "../../../domain/caller.ts";
import {
	type ProgramRequest,
	type ProgramReview,
	programRequestDecided,
	programRequestNotFound,
	programRequestTarget,
	type ReviewedProgramRequest,
} from "../../../domain/program-request.ts";
import type { Stores } from "../../../domain/stores.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { documentDigest } from "./document-digest.ts";
import { createProgram, type ProgramSettings, repinProgram } from "./pin-program.ts";
import { mailAskers } from "./program-mails.ts";

type Needed = Needs<
	"applications" | "oauthClients" | "programs" | "programRequests" | "users" | "mail" | "audit",
	"clock" | "wakeMail"
>;

export interface ProgramApproval extends ProgramSettings {
	readonly reviewNote: string;
	/** Of the document that the reviewer read; absent approves the latest one. */
	readonly documentDigest?: string;
}

/**
 * Creates the program, or pins the document that changed. Runs in one transaction.
 *
 * @throws AppError `request.invalid` (`allowed_resources`, `expires_at`), `program_request.not_found`,
 * `program_request.already_decided`, `program_request.unreadable` (a change without a document),
 * `program_request.document_changed` (another document than the one that the reviewer read).
 */
export async function approveProgramRequest(
	{ db, clock, wakeMail }: Needed,
	id: string,
	{ reviewNote, documentDigest: seen, ...settings }: ProgramApproval,
	caller: Administrator,
): Promise<ReviewedProgramRequest> {
	const now = clock();
	checkExpiry(settings.expiresAtMs ?? null, now);
	const approved = await db.transaction(async (stores) => {
		const { tenantId } = caller;
		const before = found(await stores.programRequests.findById(tenantId, id), programRequestNotFound);
		const applicationId = before.applicationId ?? newId(now);
		const review = { status: "approved", reviewNote, applicationId } as const;
		const request = await decide(stores, id, { ...review, ...reviewer(caller, now) }, caller);
		const { document } = request;
		if (document === null)
			throw new AppError(
				"program_request.unreadable",
				"the document could not be read: read it again, or reject the change to keep what was reviewed",
			);
		// The decided row is locked, so its document is the one that is pinned.
		if (seen !== undefined && seen !== documentDigest(document))
			throw new AppError(
				"program_request.document_changed",
				"the document was read again and has changed: read the request again, then decide",
			);
		const pinned = { applicationId, document, settings, caller, nowMs: now };
		if (request.kind === "new") await createProgram(stores, pinned);
		else await repinProgram(stores, pinned);
		const details = { app_id: applicationId, allowed_resources: settings.allowedResources };
		await stores.audit.append(caller, "program.approved", programRequestTarget(request), details);
		await mailAskers(stores, request, "program_request_approved");
		return request;
	});
	wakeMail();
	return named(approved, caller);
}

/**
 * Of a change, keeps what was reviewed.
 *
 * @throws AppError `program_request.not_found`, `program_request.already_decided`.
 */
export async function rejectProgramRequest(
	{ db, clock, wakeMail }: Needed,
	id: string,
	reviewNote: string,
	caller: Administrator,
): Promise<ReviewedProgramRequest> {
	const rejected = await db.transaction(async (stores) => {
		const before = found(await stores.programRequests.findById(caller.tenantId, id), programRequestNotFound);
		const review = { status: "rejected", reviewNote, applicationId: before.applicationId } as const;
		const request = await decide(stores, id, { ...review, ...reviewer(caller, clock()) }, caller);
		await stores.audit.append(caller, "program.rejected", programRequestTarget(request));
		await mailAskers(stores, request, "program_request_rejected");
		return request;
	});
	wakeMail();
	return named(rejected, caller);
}

/** Of concurrent decisions exactly one succeeds. @throws AppError `program_request.already_decided`. */
async function decide(
	{ programRequests }: Stores<"programRequests">,
	id: string,
	review: ProgramReview,
	{ tenantId }: Administrator,
): Promise<ProgramRequest> {
	const decided = await programRequests.decide(tenantId, id, review);
	if (decided !== undefined) return decided;
	throw programRequestDecided(found(await programRequests.findById(tenantId, id), programRequestNotFound));
}

function reviewer({ userId }: Administrator, nowMs: number) {
	return { reviewedBy: userId, reviewedAtMs: nowMs };
}

function named(request: ProgramRequest, { userId, actorName }: Administrator): ReviewedProgramRequest {
	return { ...request, reviewedByName: userId === null ? null : actorName };
}
