// Decides an access request: the step that approval and rejection share.

import {
	type AccessRequest,
	type AccessRequestStore,
	accessRequestNotFound,
	type Review,
} from "../../../domain/access-request.ts";
import { AppError } from "../../../kernel/error.ts";

/**
 * Call inside a transaction. Of concurrent decisions and a withdrawal exactly one succeeds.
 *
 * @throws AppError `access_request.not_found`, `access_request.already_decided`.
 */
export async function decideAccessRequest(
	accessRequests: AccessRequestStore,
	tenantId: string,
	id: string,
	review: Review,
): Promise<AccessRequest> {
	const decided = await accessRequests.decide(tenantId, id, review);
	if (decided !== undefined) return decided;
	const current = await accessRequests.findById(tenantId, id);
	if (current === undefined) throw accessRequestNotFound();
	throw new AppError("access_request.already_decided", `the access request is already ${current.status}`);
}
