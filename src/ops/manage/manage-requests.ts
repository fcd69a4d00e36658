// Access requests, as commands list and decide them. Objects have the form of the API.

import {
	ACCESS_REQUEST_STATUSES,
	type AccessRequest,
	type AccessRequestStatus,
} from "../../domain/access-request.ts";
import { toWireReviewed } from "../../features/partners/access-requests/access-request-wire.ts";
import {
	approveAccessRequest,
	rejectAccessRequest,
} from "../../features/partners/access-requests/decide-access-request.ts";
import {
	approveBody,
	rejectBody,
	toApproval,
} from "../../features/partners/access-requests/review-endpoints.ts";
import { isoTime } from "../../kernel/clock.ts";
import { parseId } from "../../kernel/id.ts";
import { mapPage } from "../../kernel/page.ts";
import { inputOf } from "./check-input.ts";
import { type ClientOptions, findApplicationId, toBody } from "./manage-clients.ts";
import { findNamed, isSameName, type Operation, takeFirst } from "./operation.ts";

export { ACCESS_REQUEST_STATUSES as REQUEST_STATUSES };

const checkApproval = inputOf(approveBody);
const checkRejection = inputOf(rejectBody);

export function listRequests(
	{ db, caller: { tenantId } }: Operation,
	status: AccessRequestStatus | undefined,
	limit: number,
) {
	const { accessRequests } = db.stores;
	return takeFirst(
		async (page) =>
			mapPage(await accessRequests.list({ tenantId, ...(status && { status }) }, page), toWireReviewed),
		limit,
	);
}

/** @throws StartError for an unknown or ambiguous name or a wrong option; AppError as `approveAccessRequest`. */
export async function approveRequest(
	operation: Operation,
	name: string,
	{ note, app, ...options }: ClientOptions & { readonly note?: string; readonly app?: string },
) {
	const { id } = await findRequest(operation, name);
	const appId = app === undefined ? undefined : await findApplicationId(operation, app);
	const body = checkApproval({ ...toBody(options), review_note: note, app_id: appId });
	const { reviewNote = "", ...settings } = toApproval(body);
	const approval = { id, reviewNote, client: { ipAllowlist: [], expiresAtMs: null, ...settings } };
	return toWireReviewed(await approveAccessRequest(operation, approval, operation.caller));
}

/** @throws StartError for an unknown or ambiguous name; AppError as `rejectAccessRequest`. */
export async function rejectRequest(operation: Operation, name: string, note: string) {
	const { review_note } = checkRejection({ review_note: note });
	const { id } = await findRequest(operation, name);
	return toWireReviewed(await rejectAccessRequest(operation, id, review_note, operation.caller));
}

/** By id, e-mail of the applicant or name of the project. Pending requests come first: the others are decided. */
async function findRequest({ db, caller }: Operation, name: string): Promise<AccessRequest> {
	const { tenantId } = caller;
	const { accessRequests } = db.stores;
	const id = parseId(name);
	const byId = id === undefined ? undefined : await accessRequests.findById(tenantId, id);
	if (byId !== undefined) return byId;
	const find = (status: AccessRequestStatus | undefined) =>
		findNamed(
			{ kind: "access request", name },
			(page) => accessRequests.list({ tenantId, q: name, ...(status && { status }) }, page),
			({ email, projectName }) => isSameName(email, name) || isSameName(projectName, name),
			({ id, email, projectName, createdAtMs }) =>
				`${id} ${projectName} <${email}> of ${isoTime(createdAtMs)}`,
		);
	const pending = await takeFirst(
		(page) => accessRequests.list({ tenantId, q: name, status: "pending" }, page),
		1,
	);
	return find(pending.total === 0 ? undefined : "pending");
}
