// Lists, shows, and changes reviewed programs, and decides requests for programs. Objects have the shape of the API.

import { ACCESS_REQUEST_STATUSES, type AccessRequestStatus } from "../../domain/access-request.ts";
import {
	type ListedProgram,
	PROGRAM_STATUSES,
	type ProgramStatus,
	programNotFound,
} from "../../domain/program.ts";
import { hostOf } from "../../domain/program-document.ts";
import type { ProgramRequestQuery, ReviewedProgramRequest } from "../../domain/program-request.ts";
import {
	approveProgramRequest,
	rejectProgramRequest,
} from "../../features/partners/programs/decide-program-request.ts";
import { readProgramAgain, updateProgram } from "../../features/partners/programs/manage-program.ts";
import {
	toWireListedRequest,
	toWireProgram,
	toWireShownProgram,
} from "../../features/partners/programs/program-wire.ts";
import {
	approveBody,
	describeRequest,
	rejectBody,
	toApproval,
} from "../../features/partners/programs/review-endpoints.ts";
import { isoTime } from "../../kernel/clock.ts";
import { found } from "../../kernel/error.ts";
import { parseId } from "../../kernel/id.ts";
import { mapPage } from "../../kernel/page.ts";
import { inputOf } from "./check-input.ts";
import { findNamed, isSameName, type Operation, takeFirst } from "./operation.ts";

export { ACCESS_REQUEST_STATUSES as PROGRAM_REQUEST_STATUSES, PROGRAM_STATUSES };

const checkApproval = inputOf(approveBody);
const checkRejection = inputOf(rejectBody);

export function listPrograms(
	{ db, caller: { tenantId } }: Operation,
	status: ProgramStatus | undefined,
	limit: number,
) {
	const { programs } = db.stores;
	return takeFirst(
		async (page) => mapPage(await programs.list(tenantId, status, page), toWireProgram),
		limit,
	);
}

/** @param name its name, host, URL, or id. @throws StartError for an unknown or ambiguous name. */
export async function showProgram(operation: Operation, name: string) {
	const { tenantId, applicationId } = await findProgram(operation, name);
	const { programs, programRequests } = operation.db.stores;
	const program = found(await programs.find(tenantId, applicationId), programNotFound);
	return toWireShownProgram(program, await programRequests.findChange(tenantId, applicationId));
}

/** @throws StartError for an unknown or ambiguous name. */
export async function setProgramStatus(operation: Operation, name: string, status: ProgramStatus) {
	const { applicationId } = await findProgram(operation, name);
	return toWireProgram(await updateProgram(operation, applicationId, { status }, operation.caller));
}

/** The running service reads its document within a minute. @throws StartError for an unknown or ambiguous name. */
export async function readAgain(operation: Operation, name: string) {
	const { applicationId } = await findProgram(operation, name);
	await readProgramAgain(operation, applicationId, operation.caller);
	return showProgram(operation, applicationId);
}

export function listProgramRequests(
	{ db, caller: { tenantId } }: Operation,
	query: Omit<ProgramRequestQuery, "tenantId">,
	limit: number,
) {
	const { programRequests } = db.stores;
	return takeFirst(
		async (page) => mapPage(await programRequests.list({ ...query, tenantId }, page), toWireListedRequest),
		limit,
	);
}

/** @throws StartError for an unknown or ambiguous name. */
export async function showProgramRequest(operation: Operation, name: string) {
	return describeRequest(operation.db.stores, await findRequest(operation, name, "pending"));
}

export interface ApprovalOptions {
	/** Default: the APIs that the program requested; of a change, those that it may use. */
	readonly api?: readonly string[];
	readonly policy?: string;
	readonly expires?: string;
	readonly note?: string;
	/** `document_digest` of the request that the operator read. */
	readonly digest?: string;
}

/** @throws StartError for an unknown or ambiguous name or an invalid option; AppError as `approveProgramRequest`. */
export async function approveProgram(operation: Operation, name: string, options: ApprovalOptions) {
	const { api, policy, expires, note, digest } = options;
	const { id, resources } = await showProgramRequest(operation, name);
	const body = checkApproval({
		allowed_resources: api ?? resources,
		access_policy: policy,
		expires_at: expires,
		review_note: note,
		document_digest: digest,
	});
	const approval = { reviewNote: "", ...toApproval(body) };
	const approved = await approveProgramRequest(operation, id, approval, operation.caller);
	return describeRequest(operation.db.stores, approved);
}

/** @throws StartError for an unknown or ambiguous name; AppError as `rejectProgramRequest`. */
export async function rejectProgram(operation: Operation, name: string, note: string) {
	const { review_note } = checkRejection({ review_note: note });
	const { id } = await findRequest(operation, name, "pending");
	const rejected = await rejectProgramRequest(operation, id, review_note, operation.caller);
	return describeRequest(operation.db.stores, rejected);
}

function findProgram({ db, caller: { tenantId } }: Operation, name: string): Promise<ListedProgram> {
	const id = parseId(name);
	return findNamed(
		{ kind: "program", name },
		(page) => db.stores.programs.list(tenantId, undefined, page),
		({ applicationId, url, document }) => applicationId === id || isNamed(name, url, document.name),
		({ applicationId, url, document }) => `${applicationId} ${document.name} ${url}`,
	);
}

/** By id, or by the name, host, or URL of the program; of several requests, the one with the wanted status. */
async function findRequest(
	{ db, caller: { tenantId } }: Operation,
	name: string,
	wanted: AccessRequestStatus,
): Promise<ReviewedProgramRequest> {
	const { programRequests } = db.stores;
	const id = parseId(name);
	const byId = id === undefined ? undefined : await programRequests.findById(tenantId, id);
	if (byId !== undefined) return byId;
	return findNamed(
		{ kind: "program request", name, preferred: ({ status }) => status === wanted },
		(page) => programRequests.list({ tenantId }, page),
		({ url, document }) => isNamed(name, url, document?.name),
		({ id, url, createdAtMs }) => `${id} ${url} of ${isoTime(createdAtMs)}`,
	);
}

function isNamed(name: string, url: string, programName = ""): boolean {
	return url === name || isSameName(hostOf(url), name) || isSameName(programName, name);
}
