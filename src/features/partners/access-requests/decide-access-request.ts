// Approves or rejects a pending access request and mails the applicant.

import {
	type AccessRequest,
	type AccessRequestStore,
	accessRequestNotFound,
	type Review,
} from "../../../domain/access-request.ts";
import { parseAllowlist } from "../../../domain/allowlist.ts";
import { checkExpiry } from "../../../domain/api-client.ts";
import { named } from "../../../domain/audit-target.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { applicantMail } from "../steps/address-mail.ts";
import { issueApiKey } from "../steps/issue-secret.ts";
import { approvalMail, issueClaimLink } from "./claim-api-client.ts";
import { type ClientSettings, createApprovedClient } from "./create-approved-client.ts";

type Needed = Needs<
	"applications" | "apiClients" | "accessRequests" | "mail" | "audit",
	"clock" | "publicUrl" | "wakeMail"
>;

export interface Approval {
	readonly id: string;
	/** `""` if there is none. */
	readonly reviewNote: string;
	/** `ipAllowlist` as the reviewer wrote it. */
	readonly client: ClientSettings;
}

/**
 * One transaction. The client gets its Secret when it is claimed.
 *
 * @throws AppError `request.invalid` (`app_id` is no application, `ip_allowlist`, `expires_at`),
 * `access_request.not_found`, `access_request.already_decided`.
 */
export async function approveAccessRequest(
	{ db, clock, publicUrl, wakeMail }: Needed,
	{ id, reviewNote, client: settings }: Approval,
	caller: Administrator,
): Promise<AccessRequest> {
	const now = clock();
	checkExpiry(settings.expiresAtMs, now);
	const client = { ...settings, ipAllowlist: parseAllowlist(settings.ipAllowlist) };
	const link = issueClaimLink(publicUrl, now);
	const identity = { id: newId(now), apiKey: issueApiKey() };
	const approved = await db.transaction(async (stores) => {
		const request = await decideAccessRequest(stores.accessRequests, caller.tenantId, id, {
			status: "approved",
			reviewNote,
			reviewedBy: caller.userId,
			reviewedAtMs: now,
			approval: { apiClientId: identity.id, ...link.stored },
		});
		const details = { api_client_id: identity.id };
		await stores.audit.append(
			caller,
			"access_request.approved",
			named("access_request", id, request.applicantName),
			details,
		);
		await createApprovedClient(stores, request, client, identity, caller);
		await stores.mail.put(approvalMail(request, link));
		return request;
	});
	wakeMail();
	return approved;
}

/** @throws AppError `access_request.not_found`, `access_request.already_decided`. */
export async function rejectAccessRequest(
	{ db, clock, wakeMail }: Needed,
	id: string,
	reviewNote: string,
	caller: Administrator,
): Promise<AccessRequest> {
	const rejected = await db.transaction(async ({ accessRequests, mail, audit }) => {
		const request = await decideAccessRequest(accessRequests, caller.tenantId, id, {
			status: "rejected",
			reviewNote,
			reviewedBy: caller.userId,
			reviewedAtMs: clock(),
		});
		await audit.append(caller, "access_request.rejected", named("access_request", id, request.applicantName));
		const { applicantName, projectName } = request;
		const message = { kind: "access_request_rejected", applicantName, projectName, reviewNote } as const;
		await mail.put(applicantMail(request, message));
		return request;
	});
	wakeMail();
	return rejected;
}

/**
 * Call inside a transaction. Of concurrent decisions and a withdrawal exactly one succeeds.
 *
 * @throws AppError `access_request.not_found`, `access_request.already_decided`.
 */
async function decideAccessRequest(
	accessRequests: AccessRequestStore,
	tenantId: string,
	id: string,
	review: Review,
): Promise<AccessRequest> {
	const decided = await accessRequests.decide(tenantId, id, review);
	if (decided !== undefined) return decided;
	const current = found(await accessRequests.findById(tenantId, id), accessRequestNotFound);
	throw new AppError("access_request.already_decided", `the access request is already ${current.status}`);
}
