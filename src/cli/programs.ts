// `latchkey programs`: lists, shows, and changes reviewed programs, and decides requests for programs, with the service
// running or stopped.

import {
	type ApprovalOptions,
	approveProgram,
	listProgramRequests,
	listPrograms,
	PROGRAM_REQUEST_STATUSES,
	PROGRAM_STATUSES,
	readAgain,
	rejectProgram,
	setProgramStatus,
	showProgram,
	showProgramRequest,
} from "../ops/manage/manage-programs.ts";
import { type ListOptions, operate, parseChoice, parseLimit, type TenantOption } from "./daily-work.ts";
import { printDone, printResult } from "./output.ts";
import { printList, recordLines } from "./table.ts";

export async function programsList(options: ListOptions & { readonly status?: string }): Promise<void> {
	const limit = parseLimit(options);
	const status = parseChoice("--status", options.status, PROGRAM_STATUSES);
	await operate(options, async (operation) => {
		const programs = await listPrograms(operation, status, limit);
		printList(programs, ["name", "client_id", "status", "expires_at", "reviewed_at"]);
	});
}

export async function programsShow(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => printWithDocument(await showProgram(operation, name)));
}

export async function programsSetStatus(
	name: string,
	status: "active" | "suspended",
	options: TenantOption,
): Promise<void> {
	await operate(options, async (operation) => {
		const program = await setProgramStatus(operation, name, status);
		printDone(program, `${program.name} of ${program.host} is ${status}`);
	});
}

export async function programsReadAgain(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => {
		const program = await readAgain(operation, name);
		printDone(program, `the running service reads ${program.client_id} within a minute`);
	});
}

/** Prints pending requests by default. */
export async function programRequestsList(
	options: ListOptions & { readonly status: string; readonly search?: string },
): Promise<void> {
	const limit = parseLimit(options);
	const { search: q } = options;
	const status = parseChoice("--status", options.status, [...PROGRAM_REQUEST_STATUSES, "all"]);
	await operate(options, async (operation) => {
		const query = { ...(status && status !== "all" && { status }), ...(q && { q }) };
		const requests = await listProgramRequests(operation, query, limit);
		printList(requests, ["name", "client_id", "kind", "status", "created_at", "id"]);
	});
}

export async function programRequestsShow(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => printWithDocument(await showProgramRequest(operation, name)));
}

export async function programRequestsApprove(
	name: string,
	options: TenantOption & ApprovalOptions,
): Promise<void> {
	await operate(options, async (operation) => {
		const request = await approveProgram(operation, name, options);
		printDone(request, `approved ${request.name} of ${request.host}`);
	});
}

export async function programRequestsReject(
	name: string,
	options: TenantOption & { readonly note: string },
): Promise<void> {
	await operate(options, async (operation) => {
		const request = await rejectProgram(operation, name, options.note);
		printDone(request, `rejected ${request.name ?? request.host} of ${request.host}`);
	});
}

type Shown = Awaited<ReturnType<typeof showProgram>> | Awaited<ReturnType<typeof showProgramRequest>>;

/** As text: one line per value of the document, and one per difference. */
function printWithDocument(record: Shown): void {
	const { document, differences, ...fields } = record;
	const askers = "requested_by" in fields && {
		requested_by: fields.requested_by.map(({ username, reason }) => `${username}: ${reason}`).join("; "),
	};
	printResult(
		record,
		...recordLines({
			...fields,
			...askers,
			...(document && {
				redirect_uris: document.redirect_uris.map(({ uri }) => uri),
				token_endpoint_auth_method: document.token_endpoint_auth_method,
				jwks_uri: document.jwks_uri,
				keys: document.keys.map((key) => JSON.stringify(key)),
			}),
			...Object.fromEntries(
				differences.map(({ member, reviewed, current }) => [
					`${member} changed`,
					`from ${reviewed.join(" ")} to ${current.join(" ")}`,
				]),
			),
		}),
	);
}
