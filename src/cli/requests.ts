// `latchkey requests`: lists, shows, and decides access requests, with the service running or stopped.

import {
	approveRequest,
	listRequests,
	REQUEST_STATUSES,
	rejectRequest,
	resendClaimLink,
	showRequest,
} from "../ops/manage/manage-requests.ts";
import { type ListOptions, operate, parseChoice, parseLimit, type TenantOption } from "./daily-work.ts";
import { printDone } from "./output.ts";
import { printList, printRecord } from "./table.ts";

/** Prints pending requests by default. */
export async function requestsList(
	options: ListOptions & { readonly status: string; readonly search?: string },
): Promise<void> {
	const limit = parseLimit(options);
	const { search: q } = options;
	const status = parseChoice("--status", options.status, [...REQUEST_STATUSES, "all"]);
	await operate(options, async (operation) => {
		const query = { ...(status && status !== "all" && { status }), ...(q && { q }) };
		const requests = await listRequests(operation, query, limit);
		printList(requests, ["project_name", "applicant_name", "email", "status", "created_at", "id"]);
	});
}

export async function requestsShow(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => printRecord(await showRequest(operation, name)));
}

export async function requestsResend(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => {
		const request = await resendClaimLink(operation, name);
		printDone(request, `the running service mails another link to ${request.email}`);
	});
}

type ApproveOptions = TenantOption & Parameters<typeof approveRequest>[2];

export async function requestsApprove(name: string, options: ApproveOptions): Promise<void> {
	await operate(options, async (operation) => {
		const request = await approveRequest(operation, name, options);
		printDone(
			request,
			`approved ${request.project_name}; ${request.email} receives a link to claim the client`,
		);
	});
}

export async function requestsReject(
	name: string,
	options: TenantOption & { readonly note: string },
): Promise<void> {
	await operate(options, async (operation) => {
		const request = await rejectRequest(operation, name, options.note);
		printDone(request, `rejected ${request.project_name}; ${request.email} receives the note`);
	});
}
