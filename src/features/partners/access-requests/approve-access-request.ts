// Approves a pending access request: creates an application and an unclaimed API client, and mails the claim link.

import type { AccessRequest } from "../../../domain/access-request.ts";
import { parseAllowlist } from "../../../domain/allowlist.ts";
import { checkExpiry } from "../../../domain/api-client.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { issueApiKey } from "../steps/issue-secret.ts";
import { type ClientSettings, createApprovedClient } from "./create-approved-client.ts";
import { decideAccessRequest } from "./decide-access-request.ts";
import { approvalMail, issueClaimLink } from "./issue-claim-link.ts";

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
	caller: SignedIn,
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
		await stores.audit.append(caller, "access_request.approved", `access_request:${id}`, details);
		await createApprovedClient(stores, request, client, identity, caller);
		await stores.mail.put(approvalMail(request, link));
		return request;
	});
	wakeMail();
	return approved;
}
