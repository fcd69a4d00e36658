// Approves or rejects a pending access request and mails the applicant; previews that mail.

import {
	type AccessRequest,
	type AccessRequestStore,
	accessRequestNotFound,
	accessRequestTarget,
	alreadyDecided,
	type Review,
	type ReviewedAccessRequest,
} from "../../../domain/access-request.ts";
import { parseAllowlist } from "../../../domain/allowlist.ts";
import { checkExpiry, TEST_CLIENT_KEPT_MS } from "../../../domain/api-client.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { NewMail } from "../../../domain/mail.ts";
import type { MailPreview } from "../../../domain/mail-transport.ts";
import { found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { applicantMail } from "../steps/address-mail.ts";
import { issueApiKey } from "../steps/issue-secret.ts";
import { approvalMail, issueClaimLink } from "./claim-api-client.ts";
import { type ClientSettings, createApprovedClient } from "./create-approved-client.ts";

type Needed = Needs<
	"applications" | "applicationRoles" | "apiClients" | "grants" | "accessRequests" | "mail" | "audit",
	"clock" | "publicUrl" | "wakeMail"
>;

interface Approval {
	readonly id: string;
	/** `""` if there is none. */
	readonly reviewNote: string;
	/** Its `ipAllowlist` is not parsed yet. */
	readonly client: ClientSettings;
}

/**
 * Runs in one transaction. The client gets its Secret when the applicant claims it. A test client gets its expiry.
 *
 * @throws AppError `request.invalid` (`app_id` is no application, `roles`, `ip_allowlist`, `expires_at`),
 * `access_request.not_found`, `access_request.already_decided`.
 */
export async function approveAccessRequest(
	{ db, clock, publicUrl, wakeMail }: Needed,
	{ id, reviewNote, client: settings }: Approval,
	caller: Administrator,
): Promise<ReviewedAccessRequest> {
	const now = clock();
	checkExpiry(settings.expiresAtMs, now);
	const client = { ...settings, ipAllowlist: parseAllowlist(settings.ipAllowlist) };
	const link = issueClaimLink(publicUrl, now);
	const identity = { id: newId(now), apiKey: issueApiKey() };
	const approved = await db.transaction(async (stores) => {
		const request = await decideAccessRequest(stores.accessRequests, caller, id, {
			status: "approved",
			reviewNote,
			reviewedBy: caller.userId,
			reviewedAtMs: now,
			approval: { apiClientId: identity.id, ...link.stored },
		});
		const details = { api_client_id: identity.id };
		await stores.audit.append(caller, "access_request.approved", accessRequestTarget(request), details);
		await createApprovedClient(stores, request, client, identity, caller);
		await stores.apiClients.endTest(request.tenantId, id, now + TEST_CLIENT_KEPT_MS);
		await stores.mail.put(approvalMail(request, link));
		return request;
	});
	wakeMail();
	return approved;
}

/** Ends the test client. @throws AppError `access_request.not_found`, `access_request.already_decided`. */
export async function rejectAccessRequest(
	{ db, clock, wakeMail }: Needed,
	id: string,
	reviewNote: string,
	caller: Administrator,
): Promise<ReviewedAccessRequest> {
	const now = clock();
	const rejected = await db.transaction(async ({ accessRequests, apiClients, mail, audit }) => {
		const request = await decideAccessRequest(accessRequests, caller, id, {
			status: "rejected",
			reviewNote,
			reviewedBy: caller.userId,
			reviewedAtMs: now,
		});
		await apiClients.endTest(request.tenantId, id, now);
		await audit.append(caller, "access_request.rejected", accessRequestTarget(request));
		await mail.put(rejectionMail(request));
		return request;
	});
	wakeMail();
	return rejected;
}

function rejectionMail(request: AccessRequest): NewMail {
	const { applicantName, projectName, reviewNote } = request;
	return applicantMail(request, { kind: "access_request_rejected", applicantName, projectName, reviewNote });
}

/**
 * Call inside a transaction. Of concurrent decisions and a withdrawal exactly one succeeds.
 *
 * @throws AppError `access_request.not_found`, `access_request.already_decided`.
 */
async function decideAccessRequest(
	accessRequests: AccessRequestStore,
	{ tenantId, userId, actorName }: Administrator,
	id: string,
	review: Review,
): Promise<ReviewedAccessRequest> {
	const decided = await accessRequests.decide(tenantId, id, review);
	if (decided !== undefined) return { ...decided, reviewedByName: userId === null ? null : actorName };
	const current = found(await accessRequests.findById(tenantId, id), accessRequestNotFound);
	throw alreadyDecided(current);
}

/**
 * Renders the mail of a decision as it would be sent now. Changes nothing. A claim link exists only after the approval,
 * so an ellipsis replaces its token.
 *
 * @throws AppError `access_request.not_found`, `access_request.already_decided`.
 */
export async function previewDecision(
	{ db, clock, publicUrl, previewMail }: Needs<"accessRequests", "clock" | "publicUrl" | "previewMail">,
	tenantId: string,
	id: string,
	{ decision, reviewNote }: { readonly decision: "approve" | "reject"; readonly reviewNote: string },
): Promise<MailPreview> {
	const request = found(await db.stores.accessRequests.findById(tenantId, id), accessRequestNotFound);
	if (request.status !== "pending") throw alreadyDecided(request);
	const decided: AccessRequest = { ...request, reviewNote };
	if (decision === "reject") return previewMail(rejectionMail(decided));
	const link = { ...issueClaimLink(publicUrl, clock()), url: `${publicUrl}/claim#…` };
	return previewMail(approvalMail(decided, link));
}
