// Lists, shows, and decides access requests. Objects have the shape of the API.

import {
	ACCESS_REQUEST_STATUSES,
	type AccessRequestQuery,
	type AccessRequestStatus,
	type ReviewedAccessRequest,
} from "../../domain/access-request.ts";
import { toWireReviewed } from "../../features/partners/access-requests/access-request-wire.ts";
import { resendClaim } from "../../features/partners/access-requests/claim-api-client.ts";
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
	query: Omit<AccessRequestQuery, "tenantId">,
	limit: number,
) {
	const { accessRequests } = db.stores;
	return takeFirst(
		async (page) => mapPage(await accessRequests.list({ ...query, tenantId }, page), toWireReviewed),
		limit,
	);
}

export async function showRequest(operation: Operation, name: string) {
	return toWireReviewed(await findRequest(operation, name, "pending"));
}

/** @throws StartError for an unknown or ambiguous name; AppError as `resendClaim`. */
export async function resendClaimLink(operation: Operation, name: string) {
	const request = await findRequest(operation, name, "approved");
	await resendClaim(operation, request.id, operation.caller);
	return toWireReviewed(request);
}

/** @throws StartError for an unknown or ambiguous name or an invalid option; AppError as `approveAccessRequest`. */
export async function approveRequest(
	operation: Operation,
	name: string,
	{ note, app, ...options }: ClientOptions & { readonly note?: string; readonly app?: string },
) {
	const { id } = await findRequest(operation, name, "pending");
	const appId = app === undefined ? undefined : await findApplicationId(operation, app);
	const body = checkApproval({ ...toBody(options), review_note: note, app_id: appId });
	const { reviewNote = "", ...settings } = toApproval(body);
	const approval = { id, reviewNote, client: { ipAllowlist: [], expiresAtMs: null, ...settings } };
	return toWireReviewed(await approveAccessRequest(operation, approval, operation.caller));
}

/** @throws StartError for an unknown or ambiguous name; AppError as `rejectAccessRequest`. */
export async function rejectRequest(operation: Operation, name: string, note: string) {
	const { review_note } = checkRejection({ review_note: note });
	const { id } = await findRequest(operation, name, "pending");
	return toWireReviewed(await rejectAccessRequest(operation, id, review_note, operation.caller));
}

/** By id, email of the applicant, or name of the project; of several requests, the one with the wanted status. */
async function findRequest(
	{ db, caller: { tenantId } }: Operation,
	name: string,
	wanted: AccessRequestStatus,
): Promise<ReviewedAccessRequest> {
	const { accessRequests } = db.stores;
	const id = parseId(name);
	const byId = id === undefined ? undefined : await accessRequests.findById(tenantId, id);
	if (byId !== undefined) return byId;
	return findNamed(
		{ kind: "access request", name, preferred: ({ status }) => status === wanted },
		(page) => accessRequests.list({ tenantId, q: name }, page),
		({ email, projectName }) => isSameName(email, name) || isSameName(projectName, name),
		({ id, email, projectName, createdAtMs }) => `${id} ${projectName} <${email}> of ${isoTime(createdAtMs)}`,
	);
}
