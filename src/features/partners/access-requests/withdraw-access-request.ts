// Withdraws a pending access request, authorized by the token of the receipt mail.

import { tokenDigest } from "../../../crypto/digest.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

/** @throws AppError `withdrawal.not_found`: the token is unknown or malformed, or its request is no longer pending. */
export async function withdrawAccessRequest(
	{ db, clock }: Needs<"accessRequests" | "audit", "clock">,
	token: string,
	origin: Origin,
): Promise<void> {
	await db.transaction(async ({ accessRequests, audit }) => {
		const request = await accessRequests.withdraw(tokenDigest(token), clock());
		if (request === undefined) {
			throw new AppError(
				"withdrawal.not_found",
				"the link is not valid: the request was withdrawn or decided already, or never existed",
			);
		}
		const applicant = { tenantId: request.tenantId, actor: "anonymous", origin } as const;
		await audit.append(applicant, "access_request.withdrawn", `access_request:${request.id}`);
	});
}
