// Issues the link with which an applicant claims credentials, and the mail that carries it.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { type AccessRequest, CLAIM_SECONDS } from "../../../domain/access-request.ts";
import type { NewMail } from "../../../domain/mail.ts";
import { isoTime, SECOND_MS } from "../../../kernel/clock.ts";
import { applicantMail } from "./applicant-mail.ts";

export interface ClaimLink {
	/** `{publicUrl}/claim#<token>`: browsers do not send the fragment, so it appears in no log. */
	readonly url: string;
	/** What is stored of it. */
	readonly stored: { readonly claimDigest: string; readonly claimExpiresAtMs: number };
}

/** A new token of 256 bits, valid for `CLAIM_SECONDS`. */
export function issueClaimLink(publicUrl: string, nowMs: number): ClaimLink {
	const token = randomToken();
	return {
		url: `${publicUrl}/claim#${token}`,
		stored: { claimDigest: tokenDigest(token), claimExpiresAtMs: nowMs + CLAIM_SECONDS * SECOND_MS },
	};
}

export function approvalMail(request: AccessRequest, link: ClaimLink): NewMail {
	return applicantMail(request, {
		kind: "access_request_approved",
		applicantName: request.applicantName,
		projectName: request.projectName,
		reviewNote: request.reviewNote,
		claimUrl: link.url,
		claimExpiresAt: isoTime(link.stored.claimExpiresAtMs),
	});
}
