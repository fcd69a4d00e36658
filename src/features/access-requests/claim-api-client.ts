// Claims the API client of an approved access request: the Secret is made now, and shown this once.

import { tokenDigest } from "../../crypto/digest.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { ApiClient, ApiClientStore } from "../api-clients/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type AccessRequestStore, isClaimable } from "./model.ts";

/** A new Secret: the text to show once, and what is stored of it. */
export interface IssuedSecret {
	readonly secretPlain: string;
	/** Bound to the client's id. */
	readonly secretSealed: string;
	/** The last four characters. */
	readonly secretHint: string;
}

export interface ClaimDeps {
	readonly db: Persistence<{
		accessRequests: AccessRequestStore;
		apiClients: ApiClientStore;
		audit: AuditLog;
	}>;
	readonly clock: Clock;
	issueSecret(clientId: string): IssuedSecret;
}

export interface ClaimedClient {
	readonly client: ApiClient;
	readonly secretPlain: string;
}

/**
 * One UPDATE uses the token up, so that of many at once one gets the Secret. A token that is unknown, used, replaced,
 * expired or malformed answers alike and costs the same; so does one whose client cannot be claimed, which leaves the
 * token as it was.
 *
 * @throws AppError `claim.not_found`.
 */
export async function claimApiClient(
	{ db, clock, issueSecret }: ClaimDeps,
	token: string,
	origin: Origin,
): Promise<ClaimedClient> {
	const now = clock();
	return db.transaction(async ({ accessRequests, apiClients, audit }) => {
		const request = await accessRequests.consumeClaim(tokenDigest(token), now);
		if (request === undefined) throw notFound();
		const { tenantId } = request;
		const stored = await apiClients.findById(tenantId, request.apiClientId ?? "");
		if (stored === undefined || !isClaimable(stored, now)) throw notFound();
		const { secretSealed: _, previousSecretSealed: __, ...client } = stored;
		const { secretPlain, secretSealed, secretHint } = issueSecret(client.id);
		const secret = { secretHint, secretCreatedAtMs: now, previousSecretExpiresAtMs: null };
		const sealed = { secretSealed, previousSecretSealed: null };
		if (!(await apiClients.replaceSecret(tenantId, client.id, null, { ...secret, ...sealed }, now)))
			throw notFound();
		await audit.append({
			tenantId,
			actor: "anonymous",
			action: "api_client.claimed",
			target: `api_client:${client.id}`,
			origin,
			details: { access_request_id: request.id },
		});
		return { client: { ...client, ...secret, status: "active", updatedAtMs: now }, secretPlain };
	});
}

function notFound(): AppError {
	return new AppError(
		"claim.not_found",
		"the link is not valid: it was used or replaced, has expired, or never existed",
	);
}
