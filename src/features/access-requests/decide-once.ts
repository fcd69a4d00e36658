// The step approval and rejection share: a request is decided once, and whoever comes late is told why not.

import { AppError } from "../../kernel/error.ts";
import type { AccessRequest, AccessRequestStore, Review } from "./model.ts";

/**
 * Inside a transaction. Of simultaneous decisions and a withdrawal exactly one wins.
 *
 * @throws AppError `access_request.not_found`, `access_request.already_decided`.
 */
export async function decideOnce(
	accessRequests: AccessRequestStore,
	tenantId: string,
	id: string,
	review: Review,
): Promise<AccessRequest> {
	const decided = await accessRequests.decide(tenantId, id, review);
	if (decided !== undefined) return decided;
	const current = await accessRequests.findById(tenantId, id);
	if (current === undefined) throw new AppError("access_request.not_found", "no such access request");
	throw new AppError("access_request.already_decided", `the access request is already ${current.status}`);
}
