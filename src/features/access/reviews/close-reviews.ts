// Closes reviews: what ends is ended item by item, on any node. Mails partners and reviewers before.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import type { AccessPair } from "../../../domain/access.ts";
import { named } from "../../../domain/audit.ts";
import { type Caller, systemCaller } from "../../../domain/caller.ts";
import {
	type AccessSource,
	type DueNotice,
	PREPARED_WITHIN_MS,
	type Review,
	reviewClosed,
	reviewNotFound,
	reviewTarget,
} from "../../../domain/review.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { endSessionsOfMember, endUnlessAllowed } from "../applications/remove-ended.ts";
import { mailReviewers, removeUnopened } from "./create-review.ts";
import { detailsOf, targetOf } from "./decide-item.ts";
import { type EndingStores, endAccess } from "./end-access.ts";

type Needed = Needs<EndingStores, "clock" | "publicUrl" | "wakeMail">;

/** Items that the request to close a review ends itself; the job ends the rest. */
const ENDED_BY_REQUEST = 500;
const KEPT_AT_ONCE = 1_000;
const NOTICES_AT_ONCE = 100;

/** @throws AppError `review.not_found`, `review.closed`. */
export async function closeReview(needs: Needed, id: string, caller: Caller): Promise<Review> {
	const { db, clock } = needs;
	const scope = { tenantId: caller.tenantId, memberId: null };
	const review = found(await db.stores.reviews.find(scope, id), reviewNotFound);
	if (!(await beginClosing(needs, review, caller, clock()))) throw reviewClosed();
	await finishClosing(needs, review.tenantId, id, ENDED_BY_REQUEST);
	return found(await db.stores.reviews.find(scope, id), reviewNotFound);
}

/** Nodes share the work: every step is claimed by a conditional UPDATE in the transaction of its effect. */
export async function runReviews(needs: Needed): Promise<void> {
	const { db, clock } = needs;
	const { reviews } = db.stores;
	for (const review of await reviews.listDue(clock()))
		await beginClosing(needs, review, systemCaller(review.tenantId), clock());
	for (const { tenantId, id } of await reviews.listClosing()) await finishClosing(needs, tenantId, id);
	await mailPartners(needs);
	for (const review of await reviews.listReminders(clock())) await remind(needs, review);
	await removeUnopened(needs, clock() - 2 * PREPARED_WITHIN_MS);
}

/** @returns false if the review is not open. */
function beginClosing({ db }: Needed, review: Review, caller: Caller, nowMs: number): Promise<boolean> {
	return db.transaction(async ({ reviews, audit }) => {
		if (!(await reviews.beginClosing(review, nowMs))) return false;
		const { unanswered, dueAtMs } = review;
		const details = { unanswered, due_at: isoTime(dueAtMs) };
		const auditId = await audit.appendReturningId(caller, "review.closed", reviewTarget(review), details);
		await reviews.noteClosing(review, auditId);
		return true;
	});
}

async function finishClosing(needs: Needed, tenantId: string, id: string, most = Number.POSITIVE_INFINITY) {
	const { db, clock } = needs;
	const review = await db.stores.reviews.find({ tenantId, memberId: null }, id);
	if (review?.status !== "closing") return;
	const keep = () => db.transaction(({ reviews }) => reviews.keepUnanswered(review, KEPT_AT_ONCE, clock()));
	if (review.unanswered === "keep") while ((await keep()) === KEPT_AT_ONCE);
	for (let count = 0; count < most && (await endNext(needs, review)); count++);
	await db.transaction(({ reviews }) => reviews.finishClosing(review, clock()));
}

/** @returns false if there is nothing to end. */
async function endNext(needs: Needed, review: Review): Promise<boolean> {
	const now = needs.clock();
	const ended = await needs.db.transaction(async (stores) => {
		const { reviews, audit } = stores;
		const item = await reviews.claimEnding(review, now);
		if (item === undefined) return undefined;
		const undecided = item.state === "open" && {
			decidedAtMs: now,
			auditId: await audit.appendReturningId(
				systemCaller(review.tenantId),
				"review.item_ended",
				await targetOf(stores, review, item),
				detailsOf(review, item),
			),
		};
		const { ended, failure } = await endAccess(stores, review, item, now);
		await reviews.noteEnding(item, { state: "ended", failure, ...undecided });
		return { userId: item.subjectId, appId: item.appId, sources: ended };
	});
	if (ended === undefined) return false;
	if (review.subject === "people") await endSessions(needs, review.tenantId, ended, ended.sources);
	return true;
}

/** Those at applications that the user may no longer use. */
async function endSessions(
	needs: Needed,
	tenantId: string,
	{ userId, appId }: { readonly userId: string; readonly appId: string | null },
	sources: readonly AccessSource[],
): Promise<void> {
	const pair: AccessPair[] = appId === null ? [] : [{ userId, appId }];
	await endUnlessAllowed(needs, tenantId, pair);
	for (const { kind, id: groupId } of sources)
		if (kind === "group") await endSessionsOfMember(needs, { tenantId, groupId, userId }, []);
}

async function mailPartners(needs: Needed): Promise<void> {
	const { db, clock, wakeMail } = needs;
	for (;;) {
		const due = await db.stores.reviews.listNotices(clock(), NOTICES_AT_ONCE);
		let mailed = 0;
		for (const notice of due) if (await mailPartner(needs, notice)) mailed += 1;
		if (mailed > 0) wakeMail();
		// If this node mailed none, another node does.
		if (due.length < NOTICES_AT_ONCE || mailed === 0) return;
	}
}

async function mailPartner({ db, clock, publicUrl }: Needed, notice: DueNotice): Promise<boolean> {
	const { tenantId, reviewId, subjectId, subjectName, owner, dueAtMs } = notice;
	const token = randomToken();
	return await db.transaction(async ({ reviews, audit, mail }) => {
		if (!(await reviews.claimNotice(notice, tokenDigest(token), clock()))) return false;
		const target = named("api_client", subjectId, subjectName);
		await audit.append(systemCaller(tenantId), "review.partner_notified", target, { review_id: reviewId });
		const answerUrl = `${publicUrl}/still-needed#${token}`;
		const message = {
			kind: "review_partner",
			clientName: subjectName,
			dueAt: isoTime(dueAtMs),
			answerUrl,
		} as const;
		const { name, email, locale } = owner;
		await mail.put({ tenantId, to: email, toName: name, locale, message: { ...message, ownerName: name } });
		return true;
	});
}

async function remind({ db, clock, publicUrl, wakeMail }: Needed, review: Review): Promise<void> {
	const now = clock();
	const isClaimed = await db.transaction(async (stores) => {
		if (!(await stores.reviews.claimReminder(review, now))) return false;
		await mailReviewers(stores, review, "review_due", { publicUrl, nowMs: now });
		return true;
	});
	if (isClaimed) wakeMail();
}
