// Withdraws a pending access request, proved by the token of the receipt mail.

import { tokenDigest } from "../../crypto/digest.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { AccessRequestStore } from "./model.ts";

export interface WithdrawDeps {
	readonly db: Persistence<{ accessRequests: AccessRequestStore; audit: AuditLog }>;
	readonly clock: Clock;
}

/** @throws AppError `withdrawal.not_found`: the token is unknown or malformed, or its request is not pending any more. */
export async function withdrawAccessRequest(
	{ db, clock }: WithdrawDeps,
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
		await audit.append({
			tenantId: request.tenantId,
			actor: "anonymous",
			action: "access_request.withdrawn",
			target: `access_request:${request.id}`,
			origin,
		});
	});
}
