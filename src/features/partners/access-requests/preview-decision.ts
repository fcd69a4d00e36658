// Shows a reviewer the letter that a decision would mail, before they decide.

import { type AccessRequest, accessRequestNotFound, alreadyDecided } from "../../../domain/access-request.ts";
import type { MailPreview } from "../../../domain/mail-transport.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { approvalMail, issueClaimLink } from "./claim-api-client.ts";
import { rejectionMail } from "./decide-access-request.ts";

export interface ProposedDecision {
	readonly decision: "approve" | "reject";
	readonly reviewNote: string;
}

/**
 * In the applicant's language, the words of the installation and the brand of the tenant. Changes nothing; the link of
 * an approval is made with it, so that here an ellipsis stands for its token.
 *
 * @throws AppError `access_request.not_found`, `access_request.already_decided`.
 */
export async function previewDecision(
	{ db, clock, publicUrl, previewMail }: Needs<"accessRequests", "clock" | "publicUrl" | "previewMail">,
	tenantId: string,
	id: string,
	{ decision, reviewNote }: ProposedDecision,
): Promise<MailPreview> {
	const request = found(await db.stores.accessRequests.findById(tenantId, id), accessRequestNotFound);
	if (request.status !== "pending") throw alreadyDecided(request);
	const decided: AccessRequest = { ...request, reviewNote };
	if (decision === "reject") return previewMail(rejectionMail(decided));
	const link = { ...issueClaimLink(publicUrl, clock()), url: `${publicUrl}/claim#…` };
	return previewMail(approvalMail(decided, link));
}
