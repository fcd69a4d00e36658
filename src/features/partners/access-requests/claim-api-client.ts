// Claims the API client of an approved access request, and issues the link for it.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { type AccessRequest, CLAIM_SECONDS, isClaimable } from "../../../domain/access-request.ts";
import type { ApiClient } from "../../../domain/api-client.ts";
import { named } from "../../../domain/audit.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import type { NewMail } from "../../../domain/mail.ts";
import { isoTime, SECOND_MS } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import {
	type AddedKey,
	mailKeyReviewers,
	parsePublicKey,
	partnerKey,
	storeKeys,
} from "../api-clients/partner-keys.ts";
import type { Deciding } from "../requests/request-rules.ts";
import { applicantMail } from "../steps/address-mail.ts";
import { type IssuedCredential, rotateSecret } from "../steps/issue-secret.ts";

/**
 * One UPDATE consumes the token, so only one of several concurrent calls gets the Secret. All other tokens (unknown,
 * used, replaced, expired, or malformed) get the same response at the same cost. So does a token whose client cannot be
 * claimed; that token is not consumed.
 *
 * With a public key, the client gets no Secret. A refused key does not consume the token.
 *
 * @throws AppError `claim.not_found`, `request.invalid` (`public_key`).
 */
export async function claimApiClient(
	{
		db,
		clock,
		secretBox,
		publicUrl,
		wakeMail,
	}: Needs<
		"accessRequests" | "apiClients" | "tenants" | "users" | "mail" | "audit",
		"clock" | "secretBox" | "publicUrl" | "wakeMail"
	>,
	{ token, publicKey }: { readonly token: string; readonly publicKey?: AddedKey["publicKey"] | undefined },
	origin: Origin,
): Promise<IssuedCredential & { readonly client: ApiClient }> {
	const now = clock();
	const claimed = await db.transaction(async (stores) => {
		const { accessRequests, apiClients, audit } = stores;
		const request = found(await accessRequests.consumeClaim(tokenDigest(token), now), notFound);
		const { tenantId } = request;
		const locked = await apiClients.findForUpdate(tenantId, request.resultId ?? "");
		if (locked === undefined || !isClaimable(locked, now)) throw notFound();
		const applicant = anonymousCaller(tenantId, origin);
		// Checking a key takes milliseconds, which a call without a valid token must not cost.
		const key = publicKey && (await partnerKey(stores, tenantId, parsePublicKey(publicKey), now));
		const claimed =
			key === undefined
				? await rotateSecret(apiClients, secretBox, locked, 0, now)
				: { client: await storeKeys(apiClients, locked, [key], 0, now), keyId: key.id };
		if (key !== undefined) await mailKeyReviewers(stores, claimed.client, key, applicant, publicUrl);
		const details = { access_request_id: request.id, ...(key && { key_id: key.id }) };
		await audit.append(applicant, "api_client.claimed", named("api_client", locked.id, locked.name), details);
		return claimed;
	});
	if (publicKey !== undefined) wakeMail();
	return claimed;
}

function notFound(): AppError {
	return new AppError(
		"claim.not_found",
		"the link is not valid: it was used, was replaced, has expired, or never existed",
	);
}

interface ClaimLink {
	/** `{publicUrl}/claim#<token>`: browsers do not send the fragment, so it appears in no log. */
	readonly url: string;
	readonly publicUrl: string;
	/** The columns of the request that hold it. */
	readonly stored: { readonly claimDigest: string; readonly claimExpiresAtMs: number };
}

/** A new token of 256 bits, valid for `CLAIM_SECONDS`. */
export function issueClaimLink(publicUrl: string, nowMs: number): ClaimLink {
	const token = randomToken();
	return {
		publicUrl,
		url: `${publicUrl}/claim#${token}`,
		stored: { claimDigest: tokenDigest(token), claimExpiresAtMs: nowMs + CLAIM_SECONDS * SECOND_MS },
	};
}

export function approvalMail(request: AccessRequest, link: ClaimLink): NewMail {
	return applicantMail(request, {
		kind: "access_request_approved",
		origin: link.publicUrl,
		applicantName: request.applicantName,
		projectName: request.projectName,
		reviewNote: request.reviewNote,
		claimUrl: link.url,
		claimExpiresAt: isoTime(link.stored.claimExpiresAtMs),
	});
}

/**
 * A new link; the previous one becomes invalid.
 *
 * @throws AppError `access_request.already_claimed`, `access_request.client_unavailable` (deleted, disabled, or expired:
 * the link would not work).
 */
export async function resendClaim({
	stores: { accessRequests, apiClients },
	request: { id, tenantId },
	publicUrl,
	nowMs,
}: Deciding<"partner">): Promise<NewMail[]> {
	const link = issueClaimLink(publicUrl, nowMs);
	const { claimDigest, claimExpiresAtMs } = link.stored;
	const request = await accessRequests.replaceClaim(tenantId, id, claimDigest, claimExpiresAtMs, nowMs);
	if (request === undefined)
		throw new AppError("access_request.already_claimed", "the credentials have already been claimed");
	const client = await apiClients.findById(tenantId, request.resultId ?? "");
	if (client === undefined || !isClaimable(client, nowMs))
		throw new AppError(
			"access_request.client_unavailable",
			"the API client of this access request was deleted, was disabled, or has expired",
		);
	return [approvalMail(request, link)];
}
