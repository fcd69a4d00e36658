// `/access-requests` for reviewers: list, read, and decide requests, and resend claim links.

import {
	ACCESS_REQUEST_STATUSES,
	accessRequestNotFound,
	REVIEW_NOTE_MAX,
} from "../../../domain/access-request.ts";
import { ALLOWLIST_MAX } from "../../../domain/allowlist.ts";
import { DEFAULT_SCOPES, SCOPES } from "../../../domain/api-client.ts";
import { ROLE_NAME_MAX } from "../../../domain/application-role.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { GRANT_ROLES_MAX } from "../../../domain/grant.ts";
import { data, empty, endpoint, exportablePage, LIST_FORMAT } from "../../../http/endpoint.ts";
import { idQuery, oneOf, searchText } from "../../../http/query-parameters.ts";
import { choice, list, nullable, object, optional, text, timeInput, uuid } from "../../../http/schema.ts";
import { fromWire } from "../../../http/wire-form.ts";
import { found, invalidField } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { decisionMailSchema, reviewedRequestSchema, toWireReviewed } from "./access-request-wire.ts";
import { resendClaim } from "./claim-api-client.ts";
import { approveAccessRequest, previewDecision, rejectAccessRequest } from "./decide-access-request.ts";

const REQUEST_ID = { id: "access_request.not_found" } as const;

/** The body of `approve`; the CLI checks its input against it too. */
export const approveBody = object({
	review_note: optional(
		text({ min: 0, max: REVIEW_NOTE_MAX, description: "Included in the mail to the applicant." }),
	),
	app_id: optional(
		uuid({
			description: "The application the client belongs to; by default a new one named after the project.",
		}),
	),
	scopes: optional(
		list(choice(SCOPES), {
			unique: true,
			description: `Default: ${DEFAULT_SCOPES.join(", ")}.`,
		}),
	),
	roles: optional(
		list(text({ max: ROLE_NAME_MAX }), {
			max: GRANT_ROLES_MAX,
			description:
				"Names or ids of roles of the application `app_id`: grants them to the client, for the gate. Default: no grant.",
			examples: [["reader"]],
		}),
	),
	ip_allowlist: optional(
		list(text({ max: 64 }), {
			max: ALLOWLIST_MAX,
			description: "IP addresses and CIDRs that the client may call from; empty allows any.",
		}),
	),
	expires_at: optional(nullable(timeInput({ description: "When the client expires; null means never." }))),
});

export const toApproval = fromWire(approveBody);

export const rejectBody = object({
	review_note: text({
		max: REVIEW_NOTE_MAX,
		description: "The reason, included in the mail to the applicant.",
	}),
});

const previewBody = object({
	decision: choice(["approve", "reject"]),
	review_note: optional(text({ min: 0, max: REVIEW_NOTE_MAX })),
});

export function reviewEndpoints(platform: Platform) {
	const { accessRequests } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listAccessRequests",
			summary: "List access requests",
			query: {
				status: oneOf(ACCESS_REQUEST_STATUSES),
				q: searchText(),
				related_to: idQuery(
					"Other requests from the same email address as this request, or from the same company, ignoring case and accents.",
				),
				sort: oneOf(["newest", "oldest"], "Default: `newest`."),
				...LIST_FORMAT,
			},
			description:
				"`q` matches part of the applicant's name, the email address, the company, or the project name, ignoring case and accents.",
			response: exportablePage("access-requests", reviewedRequestSchema, "Newest first, or oldest first."),
			async handle({ caller: { tenantId }, query: { related_to, ...query }, page }) {
				const relatedTo = related_to && (await accessRequests.findById(tenantId, related_to));
				if (related_to !== undefined && relatedTo === undefined)
					throw invalidField("related_to", "not_an_access_request");
				const filter = { tenantId, ...query, ...(relatedTo && { relatedTo }) };
				return mapPage(await accessRequests.list(filter, page), toWireReviewed);
			},
		}),

		get: endpoint<Administrator>()({
			name: "getAccessRequest",
			summary: "Get an access request",
			ids: REQUEST_ID,
			response: data(200, reviewedRequestSchema, "The access request."),
			handle: async ({ caller, ids }) =>
				toWireReviewed(found(await accessRequests.findById(caller.tenantId, ids.id), accessRequestNotFound)),
		}),

		approve: endpoint<Administrator>()({
			name: "approveAccessRequest",
			summary: "Approve an access request",
			description:
				"Creates an API client with the status `unclaimed`, and an application for it (policy `assigned`) unless `app_id` names one. Mails the applicant a link to claim the client, which works once within 7 days; the claim issues the Secret. Of concurrent decisions, one succeeds and the others return 409.",
			ids: REQUEST_ID,
			body: approveBody,
			response: data(200, reviewedRequestSchema, "The approved request with its `api_client_id`."),
			errors: ["access_request.already_decided"],
			async handle({ caller, ids, body }) {
				const { reviewNote = "", ...settings } = toApproval(body);
				const client = { ipAllowlist: [], expiresAtMs: null, ...settings };
				const approval = { id: ids.id, reviewNote, client };
				return toWireReviewed(await approveAccessRequest(platform, approval, caller));
			},
		}),

		reject: endpoint<Administrator>()({
			name: "rejectAccessRequest",
			summary: "Reject an access request",
			description: "Mails the note to the applicant, who may submit a new request.",
			ids: REQUEST_ID,
			body: rejectBody,
			response: data(200, reviewedRequestSchema, "The rejected request."),
			errors: ["access_request.already_decided"],
			handle: async ({ caller, ids, body }) =>
				toWireReviewed(await rejectAccessRequest(platform, ids.id, body.review_note, caller)),
		}),

		previewDecision: endpoint<Administrator>()({
			name: "previewDecisionMail",
			summary: "Preview the mail of a decision",
			description:
				"Returns the mail as it would be sent now, in the applicant's language. In an approval, an ellipsis replaces the token of the link. Sends nothing and changes nothing.",
			ids: REQUEST_ID,
			body: previewBody,
			response: data(200, decisionMailSchema, "The mail that the decision would send."),
			errors: ["access_request.already_decided"],
			async handle({ caller: { tenantId }, ids, body: { decision, review_note: reviewNote = "" } }) {
				const mail = await previewDecision(platform, tenantId, ids.id, { decision, reviewNote });
				return {
					from_name: mail.from.name,
					from_address: mail.from.address,
					to_name: mail.to.name,
					to_address: mail.to.address,
					locale: mail.locale,
					subject: mail.subject,
					text: mail.text,
				};
			},
		}),

		resend: endpoint<Administrator>()({
			name: "resendClaimLink",
			summary: "Mail a new claim link",
			description:
				"The link works once within 7 days, and the previous link becomes invalid immediately. Returns 409 if the request is not approved, if the credentials have been claimed, or if the API client was deleted, was disabled, or has expired.",
			ids: REQUEST_ID,
			response: empty(202, "The mail is queued."),
			errors: [
				"access_request.not_approved",
				"access_request.already_claimed",
				"access_request.client_unavailable",
			],
			handle: ({ caller, ids }) => resendClaim(platform, ids.id, caller),
		}),
	};
}
