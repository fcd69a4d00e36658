// Mails a fresh claim link for an approved access request; the one mailed before dies.

import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { ApiClientStore } from "../api-clients/model.ts";
import type { AuditLog } from "../audit/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import type { User } from "../users/model.ts";
import { approvalMail, issueClaimLink } from "./claim-link.ts";
import { type AccessRequest, type AccessRequestStore, isClaimable } from "./model.ts";

export interface ResendDeps {
	readonly db: Persistence<{
		accessRequests: AccessRequestStore;
		apiClients: ApiClientStore;
		mail: MailOutbox;
		audit: AuditLog;
	}>;
	readonly clock: Clock;
	readonly publicUrl: string;
	wakeMail(): void;
}

/**
 * @throws AppError `access_request.not_found`, `access_request.not_approved`, `access_request.already_claimed`,
 * `access_request.client_unavailable` (deleted, disabled or expired: a link to it would be dead).
 */
export async function resendClaim(
	{ db, clock, publicUrl, wakeMail }: ResendDeps,
	id: string,
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<void> {
	const { tenantId } = actor;
	const now = clock();
	const link = issueClaimLink(publicUrl, now);
	await db.transaction(async ({ accessRequests, apiClients, mail, audit }) => {
		const request = await accessRequests.replaceClaim(
			tenantId,
			id,
			link.stored.claimDigest,
			link.stored.claimExpiresAtMs,
			now,
		);
		if (request === undefined) throw refusal(await accessRequests.findById(tenantId, id));
		const client = await apiClients.findById(tenantId, request.apiClientId ?? "");
		if (client === undefined || !isClaimable(client, now)) {
			throw new AppError(
				"access_request.client_unavailable",
				"the API client of this access request was deleted, disabled or has expired",
			);
		}
		await audit.append({
			tenantId,
			actor: `user:${actor.id}`,
			action: "access_request.claim_resent",
			target: `access_request:${id}`,
			origin,
		});
		await mail.put(approvalMail(request, link));
	});
	wakeMail();
}

function refusal(request: AccessRequest | undefined): AppError {
	if (request === undefined) return new AppError("access_request.not_found", "no such access request");
	if (request.status !== "approved") {
		return new AppError("access_request.not_approved", `the access request is ${request.status}`);
	}
	return new AppError("access_request.already_claimed", "the credentials were claimed already");
}
