// A review: reviewers confirm or end what users, API clients, programs, and admin keys may do.

import { DAY_MS, isoTime, MINUTE_MS } from "../kernel/clock.ts";
import { AppError, invalidField } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { ClientOwner } from "./api-client.ts";
import { type NamedTarget, named } from "./audit.ts";
import { LIFE_MAX_DAYS } from "./grant.ts";
import type { ReviewScope } from "./request-queue.ts";

/** Limits: texts in code points. */
export const REVIEW_NAME_MAX = 100;
export const ITEM_NOTE_MAX = 500;
export const OPEN_REVIEWS_MAX = 20;
export const REVIEW_ITEMS_MAX = 100_000;
export const REVIEW_DAYS_MAX = 180;
/** Partners are mailed so long before the end. */
export const PARTNER_NOTICE_MS = 14 * DAY_MS;
/** Reviewers are reminded of open items so long before the end. */
export const REMINDER_MS = 3 * DAY_MS;
export const UNUSED_MS = 90 * DAY_MS;
export const OTHER_APPS_MAX = 20;
/** From the end of a review: as long as a certificate of ISO/IEC 27001 lasts. */
export const REVIEWS_KEPT_MS = 3 * 366 * DAY_MS;

export const REVIEW_SUBJECTS = ["people", "partners", "programs", "admin_keys"] as const;
export type ReviewSubject = (typeof REVIEW_SUBJECTS)[number];
/** `closing`: decisions are refused, and what ends is being ended. `preparing` reviews are not listed. */
export const REVIEW_STATUSES = ["open", "closing", "closed"] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];
export const ITEM_DECISIONS = ["keep", "end"] as const;
export type ItemDecision = (typeof ITEM_DECISIONS)[number];
export const ITEM_STATES = ["open", "kept", "ended"] as const;
export type ItemState = (typeof ITEM_STATES)[number];
export const STATE_OF = { keep: "kept", end: "ended" } as const;
export const PARTNER_ANSWERS = ["needed", "not_needed"] as const;
export type PartnerAnswer = (typeof PARTNER_ANSWERS)[number];

/** Which items a review has. */
export interface ReviewedScope {
	readonly tenantId: string;
	readonly subject: ReviewSubject;
	/** Only access to this application. */
	readonly appId: string | null;
	/** Of people: the memberships of this group. */
	readonly groupId: string | null;
}

export interface Review extends ReviewedScope {
	readonly id: string;
	readonly name: string;
	readonly status: ReviewStatus | "preparing";
	/** What happens to items without a decision. */
	readonly unanswered: ItemDecision;
	/** The group that decides; null for the administrators. */
	readonly reviewers: string | null;
	readonly dueAtMs: number;
	readonly total: number;
	readonly kept: number;
	readonly ended: number;
	readonly createdBy: string | null;
	readonly remindedAtMs: number | null;
	readonly closedAtMs: number | null;
	/** Of the audit event `review.closed`. */
	readonly closeAuditId: string | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** `program_grant`: the grant of an application that acts for itself. `group`: a membership. */
export const SOURCE_KINDS = [
	"grant",
	"group",
	"system_roles",
	"api_client",
	"program",
	"program_grant",
	"admin_key",
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** What gives a subject its access. */
export interface AccessSource {
	readonly kind: SourceKind;
	/** Of the grant, the group, the user, the API client, the application, or the key. */
	readonly id: string;
	/** Of the group; `""` for others. */
	readonly name: string;
	readonly appName: string;
	/** Names, sorted. */
	readonly roles: readonly string[];
	readonly requestId: string | null;
	readonly grantedBy: string | null;
	readonly expiresAtMs: number | null;
	readonly createdAtMs: number;
	/** Of a membership: other applications that its group gives access to, sorted; at most `OTHER_APPS_MAX` names. */
	readonly otherApps: readonly string[];
}

/** What a subject may do: at the time of the snapshot, or now. */
export interface ReviewedAccess {
	/** Of all sources: names, sorted. */
	readonly roles: readonly string[];
	/** Of these roles: sorted, at most `LISTED_MAX`. */
	readonly permissions: readonly string[];
	/** Of an API client; of a program, the resources for which it gets tokens. */
	readonly scopes: readonly string[];
	readonly sources: readonly AccessSource[];
}

/** An item as the database has it now. */
export interface FoundAccess extends ReviewedAccess {
	readonly subjectId: string;
	readonly subjectName: string;
	/** The user whom the item is about: with the same email address, for an API client; who created it, for a key. */
	readonly ownerId: string | null;
	readonly appId: string | null;
	readonly appName: string;
	readonly lastUsedAtMs: number | null;
	readonly createdAtMs: number;
	readonly ownerLeft: boolean;
}

export interface ReviewItem extends FoundAccess {
	readonly id: string;
	readonly tenantId: string;
	readonly reviewId: string;
	/** Riskier items come first: see `riskOf`. */
	readonly risk: number;
	readonly neverUsed: boolean;
	readonly unused: boolean;
	/** Changes with what the subject may do. */
	readonly version: string;
	readonly state: ItemState;
	readonly note: string;
	/** Null if no user decided. */
	readonly decidedBy: string | null;
	readonly decidedAtMs: number | null;
	/** The reviewer whom the item is about, in whose place an administrator decided. */
	readonly decidedFor: string | null;
	readonly auditId: string | null;
	/** When an ended item lost what it names. */
	readonly appliedAtMs: number | null;
	/** The code of the error that kept the service from ending it; `""` for none. */
	readonly failure: string;
	readonly noticedAtMs: number | null;
	readonly partnerAnswer: PartnerAnswer | null;
	readonly partnerReason: string;
	readonly partnerAnsweredAtMs: number | null;
}

/** With the present names of users. */
export interface NamedItem extends ReviewItem {
	readonly displayName: string;
	readonly decidedByName: string | null;
}

export interface ItemQuery {
	readonly state?: ItemState;
	readonly flag?: StoredFlag;
	readonly q?: string;
}

export const STORED_FLAGS = ["never_used", "unused_90_days", "owner_left"] as const;
export type StoredFlag = (typeof STORED_FLAGS)[number];
export const REVIEW_FLAGS = [...STORED_FLAGS, "reviewer_is_subject"] as const;
export type ReviewFlag = (typeof REVIEW_FLAGS)[number];

export interface Decision
	extends Pick<ReviewItem, "note" | "decidedBy" | "decidedFor" | "decidedAtMs" | "auditId"> {
	readonly state: Exclude<ItemState, "open">;
}

/** A partner who has not been asked whether a client is still needed. */
export interface DueNotice
	extends Pick<ReviewItem, "id" | "tenantId" | "reviewId" | "subjectId" | "subjectName"> {
	readonly dueAtMs: number;
	readonly owner: Pick<ClientOwner, "name" | "email" | "locale">;
}

/** An item to end, or to decide as the review says, in a review that closes. */
export interface DueItem {
	readonly item: ReviewItem;
	readonly review: Review;
}

/** Reviews that are not closed, and their items. */
export interface OpenReviews {
	readonly open: number;
	/** Those whose end has passed. */
	readonly overdue: number;
	readonly decided: number;
	readonly undecided: number;
}

/**
 * A preparation that inserted nothing for so long is over. The job removes what it left after twice this time, so that
 * clocks of two nodes may differ by as much: no review is opened without items that were removed.
 */
export const PREPARED_WITHIN_MS = 10 * MINUTE_MS;

export interface ReviewStore {
	/** Inside a transaction, `preparing`. @returns false if the tenant has `OPEN_REVIEWS_MAX` others, decided under a lock. */
	insert(review: Review): Promise<boolean>;
	/** Everything in one statement, so that all items are of one moment. */
	findAccess(scope: ReviewedScope, subjectIds?: readonly string[]): Promise<FoundAccess[]>;
	/** Inside a transaction. @returns false if the preparation is over: see `PREPARED_WITHIN_MS`. */
	insertItems(review: Review, items: readonly ReviewItem[], nowMs: number): Promise<boolean>;
	/** Opens a review whose items are complete. @returns undefined if the preparation is over. */
	open(tenantId: string, id: string, total: number, nowMs: number): Promise<Review | undefined>;
	/** Ends a preparation: `removeUnopened` removes the review at once. */
	abandon(review: Review): Promise<boolean>;
	/**
	 * Removes up to `limit` items of reviews that were never opened and got none since then, or, once they have none, these
	 * reviews.
	 *
	 * @returns the number of items.
	 */
	removeUnopened(beforeMs: number, limit: number): Promise<number>;
	find(scope: ReviewScope, id: string): Promise<Review | undefined>;
	list(scope: ReviewScope, page: PageQuery): Promise<Page<Review>>;
	/** Whether the user is a member of the reviewers of a review. */
	isReviewer(tenantId: string, userId: string): Promise<boolean>;
	/** Those of up to 100 users who decide the review. */
	findReviewers(review: Review, userIds: readonly string[]): Promise<ReadonlySet<string>>;
	/** Riskiest first. */
	listItems(review: Review, query: ItemQuery, page: PageQuery): Promise<Page<NamedItem>>;
	/** In the order of their ids. */
	listItemsAfter(review: Review, afterId: string, limit: number): Promise<NamedItem[]>;
	findItem(review: Review, id: string): Promise<NamedItem | undefined>;
	/** Inside a transaction: decides an open item. @returns false if it is decided. */
	decide(item: ReviewItem, decision: Decision): Promise<boolean>;
	/** Inside a transaction: counts a decision. @returns false unless the review is open and not due. */
	count(review: Review, state: Decision["state"], nowMs: number): Promise<boolean>;
	/** Inside a transaction. @returns false unless it is open. */
	beginClosing(review: Review, nowMs: number): Promise<boolean>;
	/** Inside the same transaction: the event that is named where no reviewer decided. */
	noteClosing(review: Review, closeAuditId: string): Promise<unknown>;
	listDue(nowMs: number): Promise<Review[]>;
	listClosing(): Promise<Review[]>;
	/** Inside a transaction: keeps up to `limit` undecided items, and counts them. @returns how many. */
	keepUnanswered(review: Review, limit: number, nowMs: number): Promise<number>;
	/** Inside a transaction: claims an item that is to lose what it names, which no other transaction holds. */
	claimEnding(review: Review, nowMs: number): Promise<ReviewItem | undefined>;
	/** The items of a subject that a reviewer kept, in a review that closes. */
	findKept(review: Review, subjectId: string): Promise<ReviewItem[]>;
	/** Inside the same transaction, with the item as claimed: counts it if it was open. */
	noteEnding(
		item: ReviewItem,
		changes: Pick<ReviewItem, "state" | "failure"> & Partial<Decision>,
	): Promise<void>;
	/** @returns false while items are to be ended. */
	finishClosing(review: Review, nowMs: number): Promise<boolean>;
	listNotices(nowMs: number, limit: number): Promise<DueNotice[]>;
	/** Inside a transaction. @returns false if another node did it, or a reviewer kept the item. */
	claimNotice(notice: DueNotice, answerDigest: string, nowMs: number): Promise<boolean>;
	/** Open reviews whose reviewers are to be reminded. */
	listReminders(nowMs: number): Promise<Review[]>;
	/** Inside a transaction. @returns false if another node did it. */
	claimReminder(review: Review, nowMs: number): Promise<boolean>;
	/** Searches all tenants: the token authenticates. Undefined once the review closes. */
	findAnswerable(answerDigest: string, nowMs: number): Promise<DueItem | undefined>;
	/** Inside a transaction. */
	noteAnswer(item: ReviewItem, answer: PartnerAnswer, reason: string, nowMs: number): Promise<boolean>;
	/** Of all tenants. */
	countOpen(nowMs: number): Promise<OpenReviews>;
	/** Deletes reviews that closed more than `REVIEWS_KEPT_MS` before `nowMs`, with their items: at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** Never used counts most, then unused for 90 days, then an owner who left. */
export function riskOf({
	neverUsed,
	unused,
	ownerLeft,
}: Pick<ReviewItem, "neverUsed" | "unused" | "ownerLeft">) {
	return (neverUsed ? 4 : 0) + (unused ? 2 : 0) + (ownerLeft ? 1 : 0);
}

export function flagsOf(
	{ neverUsed, unused, ownerLeft }: Pick<ReviewItem, "neverUsed" | "unused" | "ownerLeft">,
	isOfReviewer: boolean,
): ReviewFlag[] {
	const has = {
		never_used: neverUsed,
		unused_90_days: unused,
		owner_left: ownerLeft,
		reviewer_is_subject: isOfReviewer,
	};
	return REVIEW_FLAGS.filter((flag) => has[flag]);
}

/**
 * @throws AppError `request.invalid` (`due_at`) unless the end is one minute to `REVIEW_DAYS_MAX` days ahead, and late enough for
 * the mails to partners whose clients end without a decision.
 */
export function checkDue(
	{ subject, unanswered, dueAtMs }: Pick<Review, "subject" | "unanswered" | "dueAtMs">,
	nowMs: number,
) {
	const aheadMs = dueAtMs - nowMs;
	const leastMs = subject === "partners" && unanswered === "end" ? PARTNER_NOTICE_MS : DAY_MS;
	if (aheadMs < leastMs || aheadMs > REVIEW_DAYS_MAX * DAY_MS)
		throw invalidField("due_at", "days_ahead", { min: leastMs / DAY_MS, max: REVIEW_DAYS_MAX });
}

/** @throws AppError `request.invalid` (`expires_at`) unless it is at least a minute ahead and before the present end. */
export function checkShorter(expiresAtMs: number, { sources }: ReviewedAccess, nowMs: number): void {
	const ends = sources.map((source) => source.expiresAtMs ?? Number.POSITIVE_INFINITY);
	const latestMs = Math.min(Math.max(...ends), nowMs + LIFE_MAX_DAYS * DAY_MS);
	if (expiresAtMs < nowMs + MINUTE_MS || expiresAtMs > latestMs)
		throw invalidField("expires_at", "until_max", { until: isoTime(latestMs) });
}

export function isOfPlatformAdmin({ sources }: Pick<ReviewedAccess, "sources">): boolean {
	return sources.some(({ kind, roles }) => kind === "system_roles" && roles.includes("platform_admin"));
}

export function reviewTarget({ id, name }: Pick<Review, "id" | "name">): NamedTarget {
	return named("review", id, name);
}

export function reviewNotFound(): AppError {
	return new AppError("review.not_found", "no such review");
}

export function itemNotFound(): AppError {
	return new AppError("review_item.not_found", "the review has no such item");
}

export function reviewClosed(): AppError {
	return new AppError("review.closed", "the review is closed, or closes now");
}
