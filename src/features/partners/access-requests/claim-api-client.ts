// Claims the API client of an approved access request: issues its Secret and returns it once.

import { tokenDigest } from "../../../crypto/digest.ts";
import { isClaimable } from "../../../domain/access-request.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { type ClientWithSecret, rotateSecret } from "../steps/rotate-secret.ts";

/**
 * One UPDATE consumes the token, so one of concurrent calls gets the Secret. A token that is unknown, used, replaced,
 * expired or malformed gives the same answer at the same cost; so does a token whose client cannot be claimed, which is
 * not consumed.
 *
 * @throws AppError `claim.not_found`.
 */
export async function claimApiClient(
	{ db, clock, secretBox }: Needs<"accessRequests" | "apiClients" | "audit", "clock" | "secretBox">,
	token: string,
	origin: Origin,
): Promise<ClientWithSecret> {
	const now = clock();
	return db.transaction(async ({ accessRequests, apiClients, audit }) => {
		const request = await accessRequests.consumeClaim(tokenDigest(token), now);
		if (request === undefined) throw notFound();
		const { tenantId } = request;
		const locked = await apiClients.findForUpdate(tenantId, request.apiClientId ?? "");
		if (locked === undefined || !isClaimable(locked, now)) throw notFound();
		const claimed = await rotateSecret(apiClients, secretBox, locked, 0, now);
		const applicant = { tenantId, actor: "anonymous", origin } as const;
		const details = { access_request_id: request.id };
		await audit.append(applicant, "api_client.claimed", `api_client:${locked.id}`, details);
		return claimed;
	});
}

function notFound(): AppError {
	return new AppError(
		"claim.not_found",
		"the link is not valid: it was used or replaced, has expired, or never existed",
	);
}
