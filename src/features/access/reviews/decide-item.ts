// A reviewer keeps or ends an item of a review.

import { named, userTarget } from "../../../domain/audit.ts";
import type { Reviewer } from "../../../domain/request-queue.ts";
import {
	checkShorter,
	type FoundAccess,
	type ItemDecision,
	isOfPlatformAdmin,
	itemNotFound,
	type NamedItem,
	type Review,
	type ReviewItem,
	reviewClosed,
	reviewNotFound,
	STATE_OF,
} from "../../../domain/review.ts";
import type { Stores } from "../../../domain/stores.ts";
import { checkPlatformAdmin } from "../../../domain/system-role.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { versionOf } from "./create-review.ts";
import { type EndingStores, shortenAccess } from "./end-access.ts";

/** The access of an item that a reviewer decides on. */
interface Wish {
	readonly decision: ItemDecision;
	readonly note: string;
	/** With `keep`: ends earlier than now. */
	readonly expiresAtMs?: number | undefined;
	/** Of the access that the reviewer saw, if it changed since the snapshot. */
	readonly version?: string | undefined;
}

/**
 * Of concurrent decisions the first one counts. What ends, ends when the review closes.
 *
 * @throws AppError `review.not_found`, `review_item.not_found`, `review.own`, `role.required`, `review.closed`,
 * `review.decided`, `review.item_changed`, `request.invalid` (`expires_at`).
 */
export async function decideItem(
	{ db, clock }: Needs<EndingStores, "clock">,
	{ id, itemId }: { readonly id: string; readonly itemId: string },
	{ decision, note, expiresAtMs, version }: Wish,
	caller: Reviewer,
): Promise<NamedItem> {
	const now = clock();
	if (expiresAtMs !== undefined && decision === "end") throw invalidField("expires_at", "keep_only");
	return await db.transaction(async (stores) => {
		const { reviews, audit } = stores;
		const review = found(await reviews.find(caller, id), reviewNotFound);
		const item = found(await reviews.findItem(review, itemId), itemNotFound);
		const decidedFor = await checkDecides(stores, review, item, caller);
		if (review.status !== "open" || review.dueAtMs <= now) throw reviewClosed();
		if (item.state !== "open") throw decided(item);
		if (decision === "keep") {
			const current = await findCurrent(stores, review, item);
			const present = versionOf(current);
			if (present !== item.version && present !== version)
				throw new AppError(
					"review.item_changed",
					"what the subject may do changed since the review began: read the item, and send its version",
				);
			if (expiresAtMs !== undefined) {
				checkShorter(expiresAtMs, current ?? item, now);
				await shortenAccess(stores, review, current, expiresAtMs, caller, now);
			}
		}
		const state = STATE_OF[decision];
		const auditId = await audit.appendReturningId(
			caller,
			state === "kept" ? "review.item_kept" : "review.item_ended",
			await targetOf(stores, review, item),
			detailsOf(review, item, note),
		);
		const decidedBy = caller.userId;
		if (!(await reviews.decide(item, { state, note, decidedBy, decidedAtMs: now, decidedFor, auditId })))
			throw decided({ state: "decided" });
		if (!(await reviews.count(review, state, now))) throw reviewClosed();
		return found(await reviews.findItem(review, itemId), itemNotFound);
	});
}

function decided({ state }: { readonly state: string }): AppError {
	return new AppError("review.decided", `the item is already ${state}`);
}

/** What the subject may do now; undefined if it has nothing of it any more. */
export async function findCurrent(
	{ reviews }: Stores<"reviews">,
	review: Review,
	{ subjectId, appId }: Pick<ReviewItem, "subjectId" | "appId">,
): Promise<FoundAccess | undefined> {
	const current = await reviews.findAccess(review, [subjectId]);
	return current.find((access) => access.appId === appId);
}

/**
 * @returns the reviewer in whose place an administrator decides, because the item is about the reviewer.
 * @throws AppError `review.own`, `role.required` (the item is about a platform admin).
 */
async function checkDecides(
	{ reviews }: Stores<"reviews">,
	review: Review,
	{ ownerId, sources }: ReviewItem,
	caller: Reviewer,
): Promise<string | null> {
	if (isOfPlatformAdmin({ sources })) checkPlatformAdmin(caller);
	if (ownerId === null) return null;
	if (ownerId === caller.userId) throw own("this item is about you: an administrator decides it");
	if (!(await reviews.findReviewers(review, [ownerId])).has(ownerId)) return null;
	if (caller.memberId !== null) throw own("this item is about a reviewer: an administrator decides it");
	return ownerId;
}

function own(message: string): AppError {
	return new AppError("review.own", message);
}

const NOUN_OF = { partners: "api_client", programs: "program", admin_keys: "admin_key" } as const;

/** As audit events name the subject; it may be gone. */
export async function targetOf(
	{ users }: Stores<"users">,
	{ tenantId, subject }: Review,
	{ subjectId, subjectName }: ReviewItem,
) {
	if (subject !== "people") return named(NOUN_OF[subject], subjectId, subjectName);
	const user = await users.findById(tenantId, subjectId);
	return user === undefined ? named("user", subjectId, "") : userTarget(user);
}

export function detailsOf(review: Review, { id, appId, appName }: ReviewItem, note = "") {
	return {
		review_id: review.id,
		review_name: review.name,
		item_id: id,
		...(appId !== null && { app_id: appId, app_name: appName }),
		...(note !== "" && { note }),
	};
}
