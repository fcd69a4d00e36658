// Reviews of access for tests.

import { runReviews } from "../../../src/features/access/reviews/close-reviews.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";

export const REVIEWS = "/api/v1/reviews";
export type CreatedReview = DataOf<"POST /api/v1/reviews">;
export type ReviewItem = DataOf<"POST /api/v1/reviews/{id}/items/{item_id}">;

/** Due in 30 days, and nothing ends without a decision. */
export function addReview(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
): Promise<CreatedReview> {
	const due_at = new Date(service.clock.now() + 30 * 86_400_000).toISOString();
	return service.asAdmin("POST", REVIEWS, {
		name: "Spring",
		subject: "people",
		unanswered: "keep",
		due_at,
		...fields,
	});
}

/** All items, as an administrator reads them. */
export async function itemsOf(service: TestService, id: string, query = ""): Promise<ReviewItem[]> {
	const items: ReviewItem[] = [];
	for (let page = 1; ; page++) {
		const { body } = await service.callAsAdmin(
			"GET",
			`${REVIEWS}/${id}/items?page=${page}&page_size=100${query}` as `/api/v1/reviews/${string}/items`,
		);
		const { data } = body as unknown as { readonly data: readonly ReviewItem[] };
		items.push(...data);
		if (data.length < 100) return items;
	}
}

/** Runs the job that closes reviews and mails about them. */
export async function runReviewJob(service: TestService): Promise<void> {
	await using beside = await openBeside(service);
	await runReviews({ ...beside, publicUrl: "https://id.example", wakeMail: () => undefined });
}
