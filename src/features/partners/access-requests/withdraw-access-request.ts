// Withdraws a pending access request with the token from its receipt mail, and shows that request beforehand.

import { tokenDigest } from "../../../crypto/digest.ts";
import { type AccessRequest, accessRequestTarget } from "../../../domain/access-request.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

/** Changes nothing. @throws AppError `withdrawal.not_found` for every token that `withdrawAccessRequest` refuses. */
export async function previewWithdrawal(
	{ db }: Needs<"accessRequests">,
	token: string,
): Promise<AccessRequest> {
	const request = await db.stores.accessRequests.findWithdrawable(tokenDigest(token));
	return found(request, withdrawalNotFound);
}

/** Ends the test client. @throws AppError `withdrawal.not_found`: the token is unknown or malformed, or its request is no longer pending. */
export async function withdrawAccessRequest(
	{ db, clock }: Needs<"accessRequests" | "apiClients" | "audit", "clock">,
	token: string,
	origin: Origin,
): Promise<void> {
	const now = clock();
	await db.transaction(async ({ accessRequests, apiClients, audit }) => {
		const request = found(await accessRequests.withdraw(tokenDigest(token), now), withdrawalNotFound);
		await apiClients.endTest(request.tenantId, request.id, now);
		const applicant = anonymousCaller(request.tenantId, origin);
		await audit.append(applicant, "access_request.withdrawn", accessRequestTarget(request));
	});
}

function withdrawalNotFound(): AppError {
	return new AppError(
		"withdrawal.not_found",
		"the link is not valid: the request was withdrawn, was decided, or never existed",
	);
}
