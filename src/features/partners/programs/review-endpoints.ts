// `/program-requests` for reviewers: list, read, and decide requests for programs.

import { ACCESS_REQUEST_STATUSES, REVIEW_NOTE_MAX } from "../../../domain/access-request.ts";
import { ACCESS_POLICIES } from "../../../domain/application.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { ALLOWED_RESOURCES_MAX, RESOURCE_MAX } from "../../../domain/oauth-client.ts";
import { programRequestNotFound, type ReviewedProgramRequest } from "../../../domain/program-request.ts";
import type { Stores } from "../../../domain/stores.ts";
import { data, endpoint, page } from "../../../http/endpoint.ts";
import { oneOf, searchText } from "../../../http/query-parameters.ts";
import { choice, list, nullable, object, optional, text, timeInput } from "../../../http/schema.ts";
import { fromWire } from "../../../http/wire-form.ts";
import { found } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { approveProgramRequest, rejectProgramRequest } from "./decide-program-request.ts";
import {
	documentDigestSchema,
	listedRequestSchema,
	programRequestSchema,
	toWireListedRequest,
	toWireProgramRequest,
} from "./program-wire.ts";

const ids = { id: "program_request.not_found" } as const;

export const allowedResources = list(text({ max: RESOURCE_MAX }), {
	max: ALLOWED_RESOURCES_MAX,
	unique: true,
	description: "APIs for which the program gets tokens: the `resource` of OAuth clients of the tenant.",
	examples: [["https://api.example.com"]],
});
export const accessPolicy = choice(ACCESS_POLICIES, {
	description:
		"`open`: every user of the tenant may use the program, and each API decides which of its users to admit; `assigned`: only users with a grant.",
});
export const expiresAt = nullable(
	timeInput({ description: "When the program stops getting tokens; null means never." }),
);

export const approveBody = object({
	allowed_resources: allowedResources,
	access_policy: optional(accessPolicy),
	expires_at: optional(expiresAt),
	document_digest: optional(documentDigestSchema),
	review_note: optional(
		text({ min: 0, max: REVIEW_NOTE_MAX, description: "Included in the mail to the people who asked." }),
	),
});
export const toApproval = fromWire(approveBody);

export const rejectBody = object({
	review_note: text({
		max: REVIEW_NOTE_MAX,
		description: "The reason, included in the mail to the people who asked.",
	}),
});

/** With the document, the people who asked, and of a change, the differences to the reviewed document. */
export async function describeRequest(
	{ programs, programRequests }: Stores<"programs" | "programRequests">,
	request: ReviewedProgramRequest,
) {
	const { tenantId, id, kind, applicationId } = request;
	const isChange = kind === "change" && applicationId !== null;
	const reviewed = isChange ? await programs.find(tenantId, applicationId) : undefined;
	return toWireProgramRequest(request, await programRequests.listAskers(tenantId, id), reviewed);
}

export function programReviewEndpoints(platform: Platform) {
	const { stores } = platform.db;
	const { programRequests } = stores;
	const withDocument = (request: ReviewedProgramRequest) => describeRequest(stores, request);
	return {
		list: endpoint<Administrator>()({
			name: "listProgramRequests",
			summary: "List program requests",
			description: "`q` matches part of the URL of the document, ignoring case.",
			query: {
				status: oneOf(ACCESS_REQUEST_STATUSES),
				q: searchText(),
				sort: oneOf(["newest", "oldest"], "Default: `newest`."),
			},
			response: page(listedRequestSchema, "Newest first, or oldest first."),
			handle: async ({ caller: { tenantId }, query, page }) =>
				mapPage(await programRequests.list({ tenantId, ...query }, page), toWireListedRequest),
		}),

		get: endpoint<Administrator>()({
			name: "getProgramRequest",
			summary: "Get a program request",
			description: "With the document as it was read, and of a change, how it differs from the reviewed one.",
			ids,
			response: data(200, programRequestSchema, "The program request."),
			handle: async ({ caller, ids: { id } }) =>
				withDocument(found(await programRequests.findById(caller.tenantId, id), programRequestNotFound)),
		}),

		approve: endpoint<Administrator>()({
			name: "approveProgramRequest",
			summary: "Approve a program request",
			description:
				"Pins the document as it was read: creates an application of kind `program` with an OAuth client without a secret. It gets tokens for `allowed_resources` only. Approving a change pins the new document, makes a program active that the daily check suspended, and ends its consents and tokens if its name, redirect URIs, authentication method, or keys changed. With `document_digest`, returns 409 if the document was read again and differs. Of concurrent decisions, one succeeds and the others return 409.",
			ids,
			body: approveBody,
			response: data(200, programRequestSchema, "The approved request with its `application_id`."),
			errors: [
				"program_request.already_decided",
				"program_request.unreadable",
				"program_request.document_changed",
			],
			async handle({ caller, ids, body }) {
				const approval = { reviewNote: "", ...toApproval(body) };
				return await withDocument(await approveProgramRequest(platform, ids.id, approval, caller));
			},
		}),

		reject: endpoint<Administrator>()({
			name: "rejectProgramRequest",
			summary: "Reject a program request",
			description:
				"Mails the note to the people who asked. Rejecting a change keeps the reviewed document; the same change is not reported again.",
			ids,
			body: rejectBody,
			response: data(200, programRequestSchema, "The rejected request."),
			errors: ["program_request.already_decided"],
			handle: async ({ caller, ids, body }) =>
				withDocument(await rejectProgramRequest(platform, ids.id, body.review_note, caller)),
		}),
	};
}
