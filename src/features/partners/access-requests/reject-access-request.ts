// Rejects a pending access request and mails the applicant the reason.

import type { AccessRequest } from "../../../domain/access-request.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Needs } from "../../platform.ts";
import { applicantMail } from "./applicant-mail.ts";
import { decideAccessRequest } from "./decide-access-request.ts";

/** @throws AppError `access_request.not_found`, `access_request.already_decided`. */
export async function rejectAccessRequest(
	{ db, clock, wakeMail }: Needs<"accessRequests" | "mail" | "audit", "clock" | "wakeMail">,
	id: string,
	reviewNote: string,
	caller: SignedIn,
): Promise<AccessRequest> {
	const rejected = await db.transaction(async ({ accessRequests, mail, audit }) => {
		const request = await decideAccessRequest(accessRequests, caller.tenantId, id, {
			status: "rejected",
			reviewNote,
			reviewedBy: caller.userId,
			reviewedAtMs: clock(),
		});
		await audit.append(caller, "access_request.rejected", `access_request:${id}`);
		const { applicantName, projectName } = request;
		const message = { kind: "access_request_rejected", applicantName, projectName, reviewNote } as const;
		await mail.put(applicantMail(request, message));
		return request;
	});
	wakeMail();
	return rejected;
}
