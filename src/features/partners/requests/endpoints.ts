// `/requests`: the queue in which reviewers decide the requests of partners, for programs, and of people for roles.

import {
	REQUEST_KINDS,
	REQUEST_STATUSES,
	REVIEW_NOTE_MAX,
	type RequestKind,
	requestNotFound,
} from "../../../domain/request.ts";
import type { ReviewedRequest, Reviewer } from "../../../domain/request-queue.ts";
import { data, empty, endpoint, exportablePage, LIST_FORMAT } from "../../../http/describe/endpoint.ts";
import { idQuery, oneOf, searchText } from "../../../http/describe/query-parameters.ts";
import { choice, type Infer, multilineText, object, optional } from "../../../http/describe/schema.ts";
import { found, invalidField } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { approveRequest, previewDecision, rejectRequest, resendDecision } from "./decide-request.ts";
import {
	approveBody,
	listedSchema,
	settingsOf,
	shownSchema,
	toWireListed,
	toWireShown,
} from "./queue-wire.ts";
import { decisionMailSchema } from "./request-wire.ts";

const REQUEST_ID = { id: "request.not_found" } as const;
const STATUS_OF = { approve: "approved", reject: "rejected" } as const;

const rejectBody = object({
	review_note: multilineText({
		max: REVIEW_NOTE_MAX,
		description: "The reason, included in the mail of the decision.",
	}),
});

const previewBody = object({
	decision: choice(["approve", "reject"]),
	review_note: optional(multilineText({ min: 0, max: REVIEW_NOTE_MAX })),
});

export function requestEndpoints(platform: Platform) {
	const { stores } = platform.db;
	const shown = (request: ReviewedRequest) => toWireShown(stores, request);
	const get = async (caller: Reviewer, id: string) =>
		found(await stores.requests.findById(caller, id), requestNotFound);
	const approve = <K extends RequestKind>(
		kind: K,
		id: string,
		body: Infer<typeof approveBody>,
		caller: Reviewer,
	) => {
		const settings = settingsOf(kind, body);
		return approveRequest(platform, { id, kind, reviewNote: body.review_note ?? "", settings }, caller);
	};
	return {
		list: endpoint<Reviewer>()({
			name: "listRequests",
			summary: "List requests",
			query: {
				kind: oneOf(
					REQUEST_KINDS,
					"`partner`: access requests. `program`: requests for programs, and changes of reviewed ones. `person`: requests of users for roles of applications.",
				),
				status: oneOf(REQUEST_STATUSES),
				q: searchText(),
				related_to: idQuery(
					"Other requests than this one: of an access request, those from the same email address or the same company, ignoring case and accents; of a program request, those for the same program; of a user's request, those of the same user.",
				),
				sort: oneOf(["newest", "oldest"], "Default: `newest`."),
				...LIST_FORMAT,
			},
			description:
				"`q` matches part of the applicant's name, the email address, the company, or the project name, ignoring case and accents, part of the URL of a program, and part of the names of a user or an application. Users without one of the roles see the requests for the applications that name a group of theirs as `reviewers`. `GET /requests/{id}` returns the document of a program, too.",
			response: exportablePage("requests", listedSchema, "Newest first, or oldest first."),
			async handle({ caller, query: { related_to, ...query }, page }) {
				const { tenantId, memberId } = caller;
				const relatedTo = related_to && (await stores.requests.findById(caller, related_to));
				if (related_to !== undefined && relatedTo === undefined)
					throw invalidField("related_to", "not_a_request");
				const filter = { tenantId, memberId, ...query, ...(relatedTo && { relatedTo }) };
				return mapPage(await stores.requests.list(filter, page), toWireListed);
			},
		}),

		get: endpoint<Reviewer>()({
			name: "getRequest",
			summary: "Get a request",
			description:
				"A program request contains the document as it was read, the people who asked, and of a change, how the document differs from the reviewed one.",
			ids: REQUEST_ID,
			response: data(200, shownSchema, "The request."),
			handle: async ({ caller, ids }) => shown(await get(caller, ids.id)),
		}),

		approve: endpoint<Reviewer>()({
			name: "approveRequest",
			summary: "Approve a request",
			description:
				"Of concurrent decisions, one succeeds and the others return 409. A field of another kind returns 400.\n\nAn access request: creates an API client with the status `unclaimed`, and an application for it (policy `assigned`) unless `app_id` names one. Mails the applicant a link to claim the client, which works once within 7 days; the claim issues the Secret.\n\nA program request: pins the document as it was read. Creates an application of kind `program` with an OAuth client without a secret, which gets tokens for `allowed_resources` only. Approving a change pins the new document, makes a program active that the daily check suspended, and ends its consents and tokens if its name, redirect URIs, authentication method, or keys changed.\n\nA request of a user: creates a grant of the user with `request_id`, which ends at `until` and replaces one that ends. `roles` and `until` may take away from what was requested, not add to it. No one decides their own request, even with an admin key that they made.",
			ids: REQUEST_ID,
			body: approveBody,
			response: data(200, shownSchema, "The approved request, with its `api_client_id` or `application_id`."),
			errors: [
				"request.already_decided",
				"request.own",
				"request.not_requestable",
				"request.too_long",
				"program_request.unreadable",
				"program_request.document_changed",
			],
			async handle({ caller, ids, body }) {
				const { kind } = await get(caller, ids.id);
				return await shown(await approve(kind, ids.id, body, caller));
			},
		}),

		reject: endpoint<Reviewer>()({
			name: "rejectRequest",
			summary: "Reject a request",
			description:
				"Mails the note to those who asked, who may make a new request. Rejecting a change of a program keeps the reviewed document; the same change is not reported again.",
			ids: REQUEST_ID,
			body: rejectBody,
			response: data(200, shownSchema, "The rejected request."),
			errors: ["request.already_decided", "request.own"],
			handle: async ({ caller, ids, body }) =>
				shown(await rejectRequest(platform, ids.id, body.review_note, caller)),
		}),

		previewDecision: endpoint<Reviewer>()({
			name: "previewDecisionMail",
			summary: "Preview the mail of a decision",
			description:
				"Returns the mail as it would be sent now, in the language of the recipient. In the approval of an access request, an ellipsis replaces the token of the link. Sends nothing and changes nothing. Returns 409 if no one is mailed, such as about a change of a program.",
			ids: REQUEST_ID,
			body: previewBody,
			response: data(200, decisionMailSchema, "The mail that the decision would send."),
			errors: ["request.already_decided", "request.no_recipient"],
			async handle({ caller, ids, body: { decision, review_note: reviewNote = "" } }) {
				const status = STATUS_OF[decision];
				const { mail, recipients } = await previewDecision(platform, caller, ids.id, {
					status,
					reviewNote,
				});
				return {
					from_name: mail.from.name,
					from_address: mail.from.address,
					to_name: mail.to.name,
					to_address: mail.to.address,
					locale: mail.locale,
					subject: mail.subject,
					text: mail.text,
					recipients,
				};
			},
		}),

		resend: endpoint<Reviewer>()({
			name: "resendApproval",
			summary: "Mail an approval again",
			description:
				"An access request: with a new claim link, which works once within 7 days; the previous link becomes invalid immediately. Returns 409 if the request is not approved, if the credentials have been claimed, if the API client was deleted, was disabled, or has expired, or if no one asked for the program.",
			ids: REQUEST_ID,
			response: empty(202, "The mail is queued."),
			errors: [
				"request.not_approved",
				"request.no_recipient",
				"access_request.already_claimed",
				"access_request.client_unavailable",
			],
			handle: ({ caller, ids }) => resendDecision(platform, ids.id, caller),
		}),
	};
}
