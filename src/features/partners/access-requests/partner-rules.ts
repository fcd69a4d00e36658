// Decides access requests: an approval creates the API client, and the applicant is mailed a link to claim it.

import { accessRequestTarget } from "../../../domain/access-request.ts";
import { parseAllowlist } from "../../../domain/allowlist.ts";
import { TEST_CLIENT_KEPT_MS } from "../../../domain/api-client.ts";
import type { NewMail } from "../../../domain/mail.ts";
import type { RequestOf } from "../../../domain/request-queue.ts";
import type { RequestRules } from "../requests/request-rules.ts";
import { applicantMail } from "../steps/address-mail.ts";
import { issueApiKey } from "../steps/issue-secret.ts";
import { approvalMail, issueClaimLink, resendClaim } from "./claim-api-client.ts";
import { createApprovedClient } from "./create-approved-client.ts";

export const partnerRules: RequestRules<"partner"> = {
	actions: {
		approved: "access_request.approved",
		rejected: "access_request.rejected",
		resent: "access_request.claim_resent",
	},
	target: accessRequestTarget,
	details: ({ resultId }) => ({ api_client_id: resultId }),

	/**
	 * The client gets its Secret when the applicant claims it. A test client gets its expiry.
	 *
	 * @throws AppError `request.invalid` (`app_id` is no application, `roles`, `ip_allowlist`).
	 */
	async approve({ stores, request, caller, publicUrl, nowMs }, settings) {
		const { id, tenantId, resultId } = request;
		if (resultId === null) throw new Error("an approved access request has no API client");
		const link = issueClaimLink(publicUrl, nowMs);
		const { claimDigest, claimExpiresAtMs } = link.stored;
		await stores.accessRequests.replaceClaim(tenantId, id, claimDigest, claimExpiresAtMs, nowMs);
		const client = { ...settings, ipAllowlist: parseAllowlist(settings.ipAllowlist) };
		await createApprovedClient(stores, request, client, { id: resultId, apiKey: issueApiKey() }, caller);
		await stores.apiClients.endTest(tenantId, id, nowMs + TEST_CLIENT_KEPT_MS);
		return [approvalMail(request, link)];
	},

	/** Ends the test client. */
	async reject({ stores, request, nowMs }) {
		await stores.apiClients.endTest(request.tenantId, request.id, nowMs);
		return [rejectionMail(request)];
	},

	/** A claim link exists only after the approval, so an ellipsis replaces its token. */
	async preview({ request, publicUrl, nowMs }, status) {
		if (status === "rejected") return [rejectionMail(request)];
		return [approvalMail(request, { ...issueClaimLink(publicUrl, nowMs), url: `${publicUrl}/claim#…` })];
	},

	resend: resendClaim,
};

function rejectionMail(request: RequestOf["partner"]): NewMail {
	const { applicantName, projectName, reviewNote } = request;
	return applicantMail(request, { kind: "access_request_rejected", applicantName, projectName, reviewNote });
}
