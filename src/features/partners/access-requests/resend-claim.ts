// Mails a new claim link for an approved access request; it replaces the previous one.

import { type AccessRequest, accessRequestNotFound, isClaimable } from "../../../domain/access-request.ts";
import type { Caller } from "../../../domain/caller.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { approvalMail, issueClaimLink } from "./issue-claim-link.ts";

/**
 * @throws AppError `access_request.not_found`, `access_request.not_approved`, `access_request.already_claimed`,
 * `access_request.client_unavailable` (deleted, disabled or expired: the link would not work).
 */
export async function resendClaim(
	{
		db,
		clock,
		publicUrl,
		wakeMail,
	}: Needs<"accessRequests" | "apiClients" | "mail" | "audit", "clock" | "publicUrl" | "wakeMail">,
	id: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	const now = clock();
	const link = issueClaimLink(publicUrl, now);
	const { claimDigest, claimExpiresAtMs } = link.stored;
	await db.transaction(async ({ accessRequests, apiClients, mail, audit }) => {
		const request = await accessRequests.replaceClaim(tenantId, id, claimDigest, claimExpiresAtMs, now);
		if (request === undefined) throw refusal(await accessRequests.findById(tenantId, id));
		const client = await apiClients.findById(tenantId, request.apiClientId ?? "");
		if (client === undefined || !isClaimable(client, now)) {
			throw new AppError(
				"access_request.client_unavailable",
				"the API client of this access request was deleted, disabled or has expired",
			);
		}
		await audit.append(caller, "access_request.claim_resent", `access_request:${id}`);
		await mail.put(approvalMail(request, link));
	});
	wakeMail();
}

function refusal(request: AccessRequest | undefined): AppError {
	if (request === undefined) return accessRequestNotFound();
	if (request.status !== "approved")
		return new AppError("access_request.not_approved", `the access request is ${request.status}`);
	return new AppError("access_request.already_claimed", "the credentials were claimed already");
}
