// A partner says whether an API client is still needed: a note for the reviewers, which decides nothing.

import { tokenDigest } from "../../../crypto/digest.ts";
import { named } from "../../../domain/audit.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import type { DueItem, PartnerAnswer } from "../../../domain/review.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

/** Changes nothing. @throws AppError `still_needed.not_found` for every token that `answerReview` refuses. */
export async function previewAnswer(
	{ db, clock }: Needs<"reviews", "clock">,
	token: string,
): Promise<DueItem> {
	const due = await db.stores.reviews.findAnswerable(tokenDigest(token), clock());
	return found(due, answerNotFound);
}

/**
 * The last reply counts.
 *
 * @throws AppError `still_needed.not_found` (the token is unknown, or its review is closed), `request.invalid` (`reason`).
 */
export async function answerReview(
	{ db, clock }: Needs<"reviews" | "audit", "clock">,
	{
		token,
		answer,
		reason,
	}: { readonly token: string; readonly answer: PartnerAnswer; readonly reason: string },
	origin: Origin,
): Promise<void> {
	const now = clock();
	await db.transaction(async ({ reviews, audit }) => {
		const { item } = found(await reviews.findAnswerable(tokenDigest(token), now), answerNotFound);
		if (answer === "needed" && reason === "") throw invalidField("reason", "required");
		await reviews.noteAnswer(item, answer, reason, now);
		const target = named("api_client", item.subjectId, item.subjectName);
		const details = { review_id: item.reviewId, answer, ...(reason !== "" && { reason }) };
		await audit.append(anonymousCaller(item.tenantId, origin), "review.partner_answered", target, details);
	});
}

function answerNotFound(): AppError {
	return new AppError(
		"still_needed.not_found",
		"the link is not valid: the review is closed, or never existed",
	);
}
