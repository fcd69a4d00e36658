// Approves a pending access request: an application, an unclaimed API client, and a mail with the link to claim it.

import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { checkExpiry, parseAllowlist } from "../api-clients/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import type { User } from "../users/model.ts";
import { addUnclaimedClient, type ClientSettings, type ClientStores } from "./approved-client.ts";
import { approvalMail, issueClaimLink } from "./claim-link.ts";
import { decideOnce } from "./decide-once.ts";
import type { AccessRequest, AccessRequestStore } from "./model.ts";

export interface ApproveDeps {
	readonly db: Persistence<
		ClientStores & { readonly accessRequests: AccessRequestStore; readonly mail: MailOutbox }
	>;
	readonly clock: Clock;
	readonly publicUrl: string;
	/** A new `api_key`. */
	issueApiKey(): string;
	wakeMail(): void;
}

export interface Approval {
	readonly id: string;
	/** `""` when there is none. */
	readonly reviewNote: string;
	/** `ipAllowlist` as the reviewer wrote it. */
	readonly client: ClientSettings;
}

/**
 * All in one transaction: nothing of it exists unless all of it does. The client gets its Secret when it is claimed.
 *
 * @throws AppError `request.invalid` (`app_id` of no application, `ip_allowlist`, `expires_at`),
 * `access_request.not_found`, `access_request.already_decided`.
 */
export async function approveAccessRequest(
	{ db, clock, publicUrl, issueApiKey, wakeMail }: ApproveDeps,
	{ id, reviewNote, client: wanted }: Approval,
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<AccessRequest> {
	const now = clock();
	checkExpiry(wanted.expiresAtMs, now);
	const client = { ...wanted, ipAllowlist: parseAllowlist(wanted.ipAllowlist) };
	const link = issueClaimLink(publicUrl, now);
	const apiClientId = newId(now);
	const apiKey = issueApiKey();
	const approver = { tenantId: actor.tenantId, actor: `user:${actor.id}`, origin } as const;
	const approved = await db.transaction(async (stores) => {
		const request = await decideOnce(stores.accessRequests, actor.tenantId, id, {
			status: "approved",
			reviewNote,
			reviewedBy: actor.id,
			reviewedAtMs: now,
			approval: { apiClientId, ...link.stored },
		});
		await stores.audit.append({
			...approver,
			action: "access_request.approved",
			target: `access_request:${id}`,
			details: { api_client_id: apiClientId },
		});
		await addUnclaimedClient(stores, request, client, { id: apiClientId, apiKey }, approver);
		await stores.mail.put(approvalMail(request, link));
		return request;
	});
	wakeMail();
	return approved;
}
