// Rejects a pending access request and tells the applicant why.

import type { Clock } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import type { User } from "../users/model.ts";
import { decideOnce } from "./decide-once.ts";
import type { AccessRequest, AccessRequestStore } from "./model.ts";

export interface RejectDeps {
	readonly db: Persistence<{ accessRequests: AccessRequestStore; mail: MailOutbox; audit: AuditLog }>;
	readonly clock: Clock;
	wakeMail(): void;
}

/** @throws AppError `access_request.not_found`, `access_request.already_decided`. */
export async function rejectAccessRequest(
	{ db, clock, wakeMail }: RejectDeps,
	{ id, reviewNote }: { readonly id: string; readonly reviewNote: string },
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<AccessRequest> {
	const { tenantId } = actor;
	const rejected = await db.transaction(async ({ accessRequests, mail, audit }) => {
		const request = await decideOnce(accessRequests, tenantId, id, {
			status: "rejected",
			reviewNote,
			reviewedBy: actor.id,
			reviewedAtMs: clock(),
		});
		await audit.append({
			tenantId,
			actor: `user:${actor.id}`,
			action: "access_request.rejected",
			target: `access_request:${id}`,
			origin,
		});
		await mail.put({
			tenantId,
			to: request.email,
			toName: request.applicantName,
			locale: request.locale,
			message: {
				kind: "access_request_rejected",
				applicantName: request.applicantName,
				projectName: request.projectName,
				reviewNote,
			},
		});
		return request;
	});
	wakeMail();
	return rejected;
}
