// Reads the documents of reviewed programs once a day: what changed waits for a review, and nothing changes before it.

import { systemCaller } from "../../../domain/caller.ts";
import {
	type Program,
	programTarget,
	READ_AGAIN_MS,
	SETTLED_MS,
	UNDECIDED_MS,
	UNREADABLE_MS,
} from "../../../domain/program.ts";
import { documentDifferences, type ProgramDocument } from "../../../domain/program-document.ts";
import type { ProgramRequest } from "../../../domain/program-request.ts";
import { UNDECIDED } from "../../../domain/request.ts";
import type { Stores } from "../../../domain/stores.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { mailReviewers, reviewUrl } from "../steps/address-mail.ts";
import { mailNames } from "./program-mails.ts";
import { readDocument } from "./read-document.ts";

type Needed = Needs<
	"programs" | "programRequests" | "users" | "mail" | "audit",
	"clock" | "log" | "publicUrl" | "programDocuments" | "wakeMail"
>;

/** Documents that one run reads; each may take 6 s. */
const PER_RUN = 50;

/** Each due program is read by one node. */
export async function checkPrograms(needs: Needed): Promise<void> {
	for (let count = 0; count < PER_RUN; count++) {
		const now = needs.clock();
		const program = await needs.db.transaction(({ programs }) => programs.claimDue(now, now + READ_AGAIN_MS));
		if (program === undefined) return;
		await checkProgram(needs, program, now);
	}
}

async function checkProgram(needs: Needed, program: Program, now: number): Promise<void> {
	const { applicationId, tenantId } = program;
	const document = await readNow(needs, program);
	await needs.db.transaction(async (stores) => {
		const { programs, programRequests } = stores;
		const pending = await programRequests.findChange(program);
		if (document !== null) await programs.update(tenantId, applicationId, { readAtMs: now }, now);
		const needsReview =
			document === null ? now - program.readAtMs >= UNREADABLE_MS : isOther(program, document);
		if (needsReview && pending === undefined) await requestReview(stores, needs, program, document, now);
		else if (needsReview && pending !== undefined)
			await programRequests.replaceDocument(pending.id, document, now);
		else if (document !== null && pending !== undefined) await programRequests.withdrawChange(program, now);
		if (pending !== undefined && (needsReview || document === null))
			await suspendIfUndecided(stores, program, pending, now);
	});
	needs.wakeMail();
}

/** Null if it cannot be read, or is not accepted any more. */
async function readNow(needs: Needed, { applicationId, url }: Program): Promise<ProgramDocument | null> {
	try {
		return await readDocument(needs, url);
	} catch (error) {
		if (!(error instanceof AppError) || error.code !== "program.document") throw error;
		needs.log.warn(
			{ client_id: applicationId, error: error.message },
			"the document of a program cannot be read",
		);
		return null;
	}
}

/** A new name alone changes nothing that was reviewed; the next review pins it. */
function isOther(program: Program, document: ProgramDocument): boolean {
	return documentDifferences(program.document, document).some(({ member }) => member !== "client_name");
}

async function requestReview(
	stores: Stores<"programRequests" | "users" | "mail" | "audit">,
	{ publicUrl }: Needed,
	program: Program,
	document: ProgramDocument | null,
	now: number,
): Promise<void> {
	const { tenantId, applicationId, url } = program;
	const latest = await stores.programRequests.findLatest(tenantId, url);
	if (wasRejected(latest, document, now)) return;
	const sinceMs = undecidedSince(latest, document, now);
	const request: ProgramRequest = {
		id: newId(now),
		tenantId,
		...UNDECIDED,
		resultId: applicationId,
		isChange: true,
		url,
		document,
		redirectUri: "",
		resources: [],
		createdAtMs: sinceMs,
		updatedAtMs: now,
	};
	if (!(await stores.programRequests.insert(request))) return;
	await stores.audit.append(systemCaller(tenantId), "program.changed", programTarget(program));
	await mailReviewers(stores, tenantId, {
		kind: "program_changed",
		...mailNames({ ...request, document: program.document }),
		reviewUrl: reviewUrl(publicUrl, request),
		// The next read is the first that can suspend it.
		suspendAt: isoTime(Math.max(sinceMs + UNDECIDED_MS, now + READ_AGAIN_MS)),
	});
}

/** A document that changes back for a few reads does not restart the time to decide; another change does. */
function undecidedSince(
	latest: ProgramRequest | undefined,
	document: ProgramDocument | null,
	now: number,
): number {
	if (latest?.isChange !== true || latest.status !== "withdrawn") return now;
	const isBack = now - latest.updatedAtMs < SETTLED_MS && isSame(latest.document, document);
	return isBack ? latest.createdAtMs : now;
}

/** Reviewers decide once on each version of a document. */
function wasRejected(
	latest: ProgramRequest | undefined,
	document: ProgramDocument | null,
	now: number,
): boolean {
	if (latest?.isChange !== true || latest.status !== "rejected") return false;
	if (!isSame(latest.document, document)) return false;
	return document !== null || now - (latest.reviewedAtMs ?? 0) < UNREADABLE_MS;
}

function isSame(before: ProgramDocument | null, document: ProgramDocument | null): boolean {
	if (before === null || document === null) return before === document;
	return documentDifferences(before, document).length === 0;
}

async function suspendIfUndecided(
	{ programs, audit }: Stores<"programs" | "audit">,
	program: Program,
	{ createdAtMs }: ProgramRequest,
	now: number,
): Promise<void> {
	if (now - createdAtMs < UNDECIDED_MS) return;
	if (await programs.suspendUndecided(program, now))
		await audit.append(systemCaller(program.tenantId), "program.suspended", programTarget(program));
}
