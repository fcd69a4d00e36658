// `/reviews`: reviews of access, the decisions on their items, and the replies of partners.

import type { Reviewer } from "../../../domain/request-queue.ts";
import {
	ITEM_DECISIONS,
	ITEM_NOTE_MAX,
	ITEM_STATES,
	itemNotFound,
	type NamedItem,
	PARTNER_ANSWERS,
	REVIEW_DAYS_MAX,
	REVIEW_NAME_MAX,
	REVIEW_SUBJECTS,
	type Review,
	reviewNotFound,
	STORED_FLAGS,
} from "../../../domain/review.ts";
import type { InPerson } from "../../../domain/session.ts";
import { data, empty, endpoint, page, streamedFile } from "../../../http/describe/endpoint.ts";
import { oneOf, searchText } from "../../../http/describe/query-parameters.ts";
import {
	choice,
	fieldsOf,
	multilineText,
	nameText,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
	timeInput,
	uuid,
} from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { DAY_MS, isoTime } from "../../../kernel/clock.ts";
import { CSV_START, csvLine } from "../../../kernel/csv.ts";
import { found } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { answerReview, previewAnswer } from "./answer-review.ts";
import { closeReview } from "./close-reviews.ts";
import { createReview } from "./create-review.ts";
import { decideItem } from "./decide-item.ts";
import { reviewItemSchema, reviewSchema, toWireItem, toWireReview } from "./review-wire.ts";

const REVIEW_ID = { id: "review.not_found" } as const;
const ITEM_ID = { ...REVIEW_ID, item_id: "review_item.not_found" } as const;
/** Issued tokens have 43 characters. */
const TOKEN_MAX = 512;
const EXPORTED_AT_ONCE = 1_000;
const COMPARED_AT_ONCE = 100;
const VERSION_MAX = 64;

/** The example ends a month after the start of the service, so that it can be sent as it is. */
function createBodyAt(nowMs: number) {
	const dueMs = Math.floor(nowMs / DAY_MS + 30) * DAY_MS;
	return object({
		name: nameText({ max: REVIEW_NAME_MAX }),
		subject: choice(REVIEW_SUBJECTS, {
			description:
				"`people`: system roles and the access of all users to applications. `partners`: API clients. `programs`: reviewed programs, and the grants of applications that act for themselves.",
		}),
		app_id: optional(uuid("Only access to this application; not of `admin_keys`.")),
		group_id: optional(uuid("Of `people`, without `app_id`: the memberships of this group.")),
		due_at: timeInput({
			description: `When the review closes: 1 to ${REVIEW_DAYS_MAX} days from now; at least 14 for \`partners\` with \`unanswered: end\`.`,
			examples: [isoTime(dueMs)],
		}),
		unanswered: choice(ITEM_DECISIONS, {
			description: "What happens at the end to items without a decision.",
		}),
		reviewers: optional(uuid("The group whose members decide; without it, the administrators decide.")),
	});
}

const decisionBody = object({
	decision: choice(ITEM_DECISIONS),
	note: optional(multilineText({ min: 0, max: ITEM_NOTE_MAX })),
	expires_at: optional(
		timeInput(
			"Only with `keep`: ends access then, at once, at least a minute from now and before its present end.",
		),
	),
	version: optional(
		text({
			max: VERSION_MAX,
			description: "Of an item that changed since the review began: as you read it.",
		}),
	),
});
const toWish = fromWire(decisionBody);

const tokenField = secretText({ max: TOKEN_MAX, description: "From the link in the mail to the partner." });
const answerBody = object({
	token: tokenField,
	answer: choice(PARTNER_ANSWERS),
	reason: optional(
		multilineText({ min: 0, max: ITEM_NOTE_MAX, description: "For the reviewers; required for `needed`." }),
	),
});
const answerableSchema = object(
	{
		api_client_name: plain(),
		review_name: plain(),
		due_at: time(),
		answer: nullable(choice(PARTNER_ANSWERS)),
	},
	{ title: "PartnerAnswer" },
);

export function reviewEndpoints(platform: Platform) {
	const { db } = platform;
	const { reviews } = db.stores;
	const createBody = createBodyAt(platform.clock());
	const toFields = fromWire(createBody);
	const get = async (caller: Reviewer, id: string) => found(await reviews.find(caller, id), reviewNotFound);
	/** Of up to 100 items, with what their subjects may do now. */
	const shown = async (review: Review, items: readonly NamedItem[]) => {
		if (items.length === 0) return [];
		const ids = [...new Set(items.map(({ subjectId }) => subjectId))];
		const owners = [...new Set(items.flatMap(({ ownerId }) => ownerId ?? []))];
		const current = review.status === "open" ? await reviews.findAccess(review, ids) : null;
		const ofReviewers = await reviews.findReviewers(review, owners);
		return items.map((item) => {
			const { subjectId, appId, ownerId } = item;
			const access = current?.find((one) => one.subjectId === subjectId && one.appId === appId);
			const isOfReviewer = ownerId !== null && ofReviewers.has(ownerId);
			return toWireItem(review, item, current && { access }, isOfReviewer);
		});
	};
	async function* exported(review: Review): AsyncGenerator<string> {
		let header = CSV_START + csvLine(fieldsOf(reviewItemSchema));
		for (let after = ""; ; ) {
			const items = await reviews.listItemsAfter(review, after, EXPORTED_AT_ONCE);
			for (let from = 0; from < items.length; from += COMPARED_AT_ONCE) {
				const rows = await shown(review, items.slice(from, from + COMPARED_AT_ONCE));
				yield header +
					rows
						.map((row) => csvLine(fieldsOf(reviewItemSchema).map((field) => Reflect.get(row, field))))
						.join("");
				header = "";
			}
			const last = items.at(-1);
			if (last === undefined || items.length < EXPORTED_AT_ONCE)
				return void (header !== "" && (yield header));
			after = last.id;
		}
	}
	return {
		create: endpoint<InPerson>()({
			name: "createReview",
			summary: "Create a review",
			description:
				"Makes an item for every user and application, API client, program, or admin key of one moment, at most 100,000. At `due_at` the review closes, and what was ended or is to end loses its access. Mails the reviewers, and 14 days before the end the partners. 20 reviews can be open.",
			body: createBody,
			response: data(201, reviewSchema, "The review with all of its items."),
			errors: ["review.too_many", "review.too_large", "service.overloaded"],
			handle: async ({ caller, body }) =>
				toWireReview(
					await createReview(
						platform,
						{ appId: null, groupId: null, reviewers: null, ...toFields(body) },
						caller,
					),
				),
		}),

		list: endpoint<Reviewer>()({
			name: "listReviews",
			summary: "List reviews",
			description: "Users without a role see the reviews whose `reviewers` they are a member of.",
			response: page(reviewSchema, "Reviews, newest first."),
			handle: async ({ caller, page }) => mapPage(await reviews.list(caller, page), toWireReview),
		}),

		get: endpoint<Reviewer>()({
			name: "getReview",
			summary: "Get a review",
			ids: REVIEW_ID,
			response: data(200, reviewSchema, "The review."),
			handle: async ({ caller, ids: { id } }) => toWireReview(await get(caller, id)),
		}),

		listItems: endpoint<Reviewer>()({
			name: "listReviewItems",
			summary: "List the items of a review",
			description:
				"The riskiest first: never used, unused for 90 days, owner left. While the review is open, `changed` says whether what the subject may do changed, and `current` shows it.",
			ids: REVIEW_ID,
			query: {
				state: oneOf(ITEM_STATES),
				flag: oneOf(STORED_FLAGS),
				q: searchText("Part of the name of the subject, ignoring case and accents."),
			},
			response: page(reviewItemSchema, "Items."),
			async handle({ caller, ids: { id }, query, page }) {
				const review = await get(caller, id);
				const { items, ...total } = await reviews.listItems(review, query, page);
				return { ...total, items: await shown(review, items) };
			},
		}),

		decide: endpoint<Reviewer>()({
			name: "decideReviewItem",
			summary: "Decide an item of a review",
			description:
				"The first decision counts. An ended item loses what its `sources` name when the review closes: grants and memberships are removed, API clients disabled, programs suspended, admin keys deleted. No one decides an item about themselves, or as a reviewer about another one: an administrator does. An item that changed since the review began is kept with the `version` that you read.",
			ids: ITEM_ID,
			body: decisionBody,
			response: data(200, reviewItemSchema, "The decided item."),
			errors: ["review.closed", "review.decided", "review.item_changed", "review.own"],
			async handle({ caller, ids: { id, item_id: itemId }, body }) {
				const item = await decideItem(platform, { id, itemId }, { note: "", ...toWish(body) }, caller);
				const [wire] = await shown(await get(caller, id), [item]);
				return found(wire, itemNotFound);
			},
		}),

		close: endpoint<InPerson>()({
			name: "closeReview",
			summary: "Close a review",
			description:
				"As at `due_at`: ends what was ended, and what has no decision with `unanswered: end`. A large review is `closing` until the service has ended everything.",
			ids: REVIEW_ID,
			response: data(200, reviewSchema, "The review."),
			errors: ["review.closed"],
			handle: async ({ caller, ids: { id } }) => toWireReview(await closeReview(platform, id, caller)),
		}),

		export: endpoint<InPerson>()({
			name: "exportReview",
			summary: "Export a review as evidence",
			description:
				"Every item with its decision and the id of the audit event, as CSV; `'` precedes what a spreadsheet would read as a formula. The audit trail records the export. If the connection ends early, the file is incomplete.",
			ids: REVIEW_ID,
			response: streamedFile(["text/csv"], "The items of the review."),
			secret: true,
			async handle({ caller, ids: { id } }) {
				const review = await get({ ...caller, memberId: null }, id);
				await db.transaction(({ audit }) =>
					audit.append(caller, "list.exported", "", { list: "review", format: "csv", id }),
				);
				return { name: "review.csv", mediaType: "text/csv", parts: exported(review) };
			},
		}),

		previewAnswer: endpoint<undefined>()({
			name: "previewPartnerAnswer",
			summary: "Show the API client that a link is about",
			description:
				"Changes nothing. A token that is unknown, or whose review is closed, returns the same 404.",
			body: object({ token: tokenField }),
			response: data(200, answerableSchema, "The API client under review."),
			errors: ["still_needed.not_found"],
			async handle({ body: { token } }) {
				const { item, review } = await previewAnswer(platform, token);
				return {
					api_client_name: item.subjectName,
					review_name: review.name,
					due_at: isoTime(review.dueAtMs),
					answer: item.partnerAnswer,
				};
			},
		}),

		answer: endpoint<undefined>()({
			name: "answerReview",
			summary: "Say whether an API client is still needed",
			description:
				"A note for the reviewers, which decides nothing. The last reply before the end of the review counts. A token that is unknown, or whose review is closed, returns the same 404.",
			body: answerBody,
			response: empty(204, "The reply is noted."),
			errors: ["still_needed.not_found"],
			handle: ({ body: { token, answer, reason = "" }, request }) =>
				answerReview(platform, { token, answer, reason }, request),
		}),
	};
}
