// The link by which an applicant collects credentials, and the mail that carries it.

import { tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { isoTime, SECOND_MS } from "../../kernel/clock.ts";
import type { NewMail } from "../mail/model.ts";
import { type AccessRequest, CLAIM_SECONDS } from "./model.ts";

export interface ClaimLink {
	/** `{publicUrl}/claim#<token>`: the fragment never reaches a server or its logs. */
	readonly url: string;
	/** All that is stored of it. */
	readonly stored: { readonly claimDigest: string; readonly claimExpiresAtMs: number };
}

/** A new token of 256 bits, good for `CLAIM_SECONDS` from now. */
export function issueClaimLink(publicUrl: string, nowMs: number): ClaimLink {
	const token = randomToken();
	return {
		url: `${publicUrl}/claim#${token}`,
		stored: { claimDigest: tokenDigest(token), claimExpiresAtMs: nowMs + CLAIM_SECONDS * SECOND_MS },
	};
}

/** The decision mail of an approval, in the language of the submission. */
export function approvalMail(request: AccessRequest, link: ClaimLink): NewMail {
	return {
		tenantId: request.tenantId,
		to: request.email,
		toName: request.applicantName,
		locale: request.locale,
		message: {
			kind: "access_request_approved",
			applicantName: request.applicantName,
			projectName: request.projectName,
			reviewNote: request.reviewNote,
			claimUrl: link.url,
			claimExpiresAt: isoTime(link.stored.claimExpiresAtMs),
		},
	};
}
