// Creates a review: one snapshot of who may do what, and an item for each.

import { setImmediate as nextTurn } from "node:timers/promises";
import { sha256Hex } from "../../../crypto/digest.ts";
import type { Caller } from "../../../domain/caller.ts";
import { LOCALES } from "../../../domain/locale.ts";
import type { NewMail } from "../../../domain/mail.ts";
import {
	checkDue,
	type FoundAccess,
	OPEN_REVIEWS_MAX,
	REVIEW_ITEMS_MAX,
	type Review,
	type ReviewedAccess,
	type ReviewItem,
	reviewTarget,
	riskOf,
	UNUSED_MS,
} from "../../../domain/review.ts";
import type { Stores } from "../../../domain/stores.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<
	"applications" | "audit" | "groups" | "mail" | "reviews" | "users",
	"clock" | "publicUrl" | "wakeMail"
>;

/** Items inserted in one transaction. The embedded database has one thread: other requests run in between. */
const INSERTED_AT_ONCE = 100;
const REMOVED_AT_ONCE = 500;

export type NewReview = Pick<
	Review,
	"name" | "subject" | "appId" | "groupId" | "dueAtMs" | "unanswered" | "reviewers"
>;

/**
 * The items are complete before the review is listed: a process that ends meanwhile leaves a review that the next run of the
 * job removes.
 *
 * @throws AppError `request.invalid` (`app_id`, `group_id`, `reviewers`, `due_at`), `review.too_many`, `review.too_large`,
 * `service.overloaded` if the preparation stood still for too long.
 */
export async function createReview(needs: Needed, fields: NewReview, caller: Caller): Promise<Review> {
	const { db, clock } = needs;
	const { tenantId } = caller;
	const now = clock();
	await checkScope(db.stores, tenantId, fields);
	checkDue(fields, now);
	const review: Review = {
		...fields,
		id: newId(now),
		tenantId,
		status: "preparing",
		total: 0,
		kept: 0,
		ended: 0,
		createdBy: caller.userId,
		remindedAtMs: null,
		closedAtMs: null,
		closeAuditId: null,
		createdAtMs: now,
		updatedAtMs: now,
	};
	if (!(await db.transaction(({ reviews }) => reviews.insert(review))))
		throw new AppError("review.too_many", `at most ${OPEN_REVIEWS_MAX} reviews can be open: close one first`);
	try {
		return await prepare(needs, review, caller);
	} catch (error) {
		// It would count as open until the job removes it, which happens if this fails, too.
		await discard(needs, review).catch(() => undefined);
		throw error;
	}
}

async function discard(needs: Needed, review: Review): Promise<void> {
	await needs.db.transaction(({ reviews }) => reviews.abandon(review));
	await removeUnopened(needs, 0);
}

/** In parts: other requests run in between. */
export async function removeUnopened({ db }: Pick<Needed, "db">, beforeMs: number): Promise<void> {
	while ((await db.transaction(({ reviews }) => reviews.removeUnopened(beforeMs, REMOVED_AT_ONCE))) > 0)
		await nextTurn();
}

async function prepare(
	{ db, clock, publicUrl, wakeMail }: Needed,
	review: Review,
	caller: Caller,
): Promise<Review> {
	const { tenantId, createdAtMs: now } = review;
	const access = await db.stores.reviews.findAccess(review);
	if (access.length > REVIEW_ITEMS_MAX)
		throw new AppError(
			"review.too_large",
			`the review has ${access.length} items, and at most ${REVIEW_ITEMS_MAX} are allowed: review by application or group`,
		);
	access.sort((a, b) => (a.subjectName < b.subjectName ? -1 : 1));
	for (let from = 0; from < access.length; from += INSERTED_AT_ONCE) {
		const items = access.slice(from, from + INSERTED_AT_ONCE).map((one) => toItem(review, one, now));
		if (!(await db.transaction(({ reviews }) => reviews.insertItems(review, items, clock()))))
			throw preparationOver();
		await nextTurn();
	}
	const opened = await db.transaction(async (stores) => {
		const { reviews, audit } = stores;
		const opened = found(await reviews.open(tenantId, review.id, access.length, clock()), preparationOver);
		const { subject, appId, groupId, unanswered, dueAtMs } = review;
		await audit.append(caller, "review.created", reviewTarget(review), {
			subject,
			...(appId !== null && { app_id: appId }),
			...(groupId !== null && { group_id: groupId }),
			items: access.length,
			unanswered,
			due_at: isoTime(dueAtMs),
		});
		await mailReviewers(stores, opened, "review_opened", { publicUrl, nowMs: now });
		return opened;
	});
	wakeMail();
	return opened;
}

function preparationOver(): AppError {
	return new AppError("service.overloaded", "the preparation of the review stood still, try again", {
		retryAfterSeconds: 60,
	});
}

async function checkScope(
	{ applications, groups }: Stores<"applications" | "groups">,
	tenantId: string,
	{ subject, appId, groupId, reviewers }: NewReview,
): Promise<void> {
	if (groupId !== null && subject !== "people")
		throw invalidField("group_id", "absent_for_subject", { subject });
	if (appId !== null && subject === "admin_keys")
		throw invalidField("app_id", "absent_for_subject", { subject });
	if (appId !== null && groupId !== null) throw invalidField("group_id", "absent_with_app");
	if (appId !== null && (await applications.findById(tenantId, appId)) === undefined)
		throw invalidField("app_id", "not_an_application");
	for (const [field, id] of Object.entries({ group_id: groupId, reviewers }))
		if (id !== null && (await groups.findById(tenantId, id)) === undefined)
			throw invalidField(field, "not_a_group");
}

function toItem(review: Review, access: FoundAccess, nowMs: number): ReviewItem {
	const neverUsed = access.lastUsedAtMs === null;
	const unused = (access.lastUsedAtMs ?? access.createdAtMs) <= nowMs - UNUSED_MS;
	return {
		...access,
		// The names of users are read when they are shown.
		subjectName: review.subject === "people" ? "" : access.subjectName,
		id: newId(nowMs),
		tenantId: review.tenantId,
		reviewId: review.id,
		neverUsed,
		unused,
		risk: riskOf({ neverUsed, unused, ownerLeft: access.ownerLeft }),
		version: versionOf(access),
		state: "open",
		note: "",
		decidedBy: null,
		decidedAtMs: null,
		decidedFor: null,
		auditId: null,
		appliedAtMs: null,
		failure: "",
		noticedAtMs: null,
		partnerAnswer: null,
		partnerReason: "",
		partnerAnsweredAtMs: null,
	};
}

/** Differs if what the subject may do differs, or its end. Undefined: the subject has nothing of it any more. */
export function versionOf(access: ReviewedAccess | undefined): string {
	const { roles = [], permissions = [], scopes = [], sources = [] } = access ?? {};
	const ends = sources.map(({ kind, id, expiresAtMs, createdAtMs }) => [kind, id, expiresAtMs, createdAtMs]);
	return sha256Hex(JSON.stringify([roles, permissions, scopes, ends])).slice(0, 32);
}

/** Inside a transaction: mails those who decide. */
export async function mailReviewers(
	{ users, mail }: Stores<"users" | "mail">,
	review: Review,
	kind: "review_opened" | "review_due",
	{ publicUrl, nowMs }: { readonly publicUrl: string; readonly nowMs: number },
): Promise<void> {
	const { id, tenantId, name: reviewName, reviewers, dueAtMs, total, kept, ended } = review;
	const members = reviewers === null ? [] : await users.listActiveMembers(tenantId, reviewers, nowMs);
	// Without members, the items wait for the administrators.
	const admins = async () =>
		(await users.listReviewers(tenantId)).filter(({ roles }) => roles.includes("admin"));
	const message: NewMail["message"] = {
		kind,
		reviewName,
		items: total - kept - ended,
		dueAt: isoTime(dueAtMs),
		reviewUrl: `${publicUrl}/console/reviews/${id}`,
	};
	for (const { email, displayName, locale } of members.length > 0 ? members : await admins())
		await mail.put({ tenantId, to: email, toName: displayName, locale: locale ?? LOCALES[0], message });
}
