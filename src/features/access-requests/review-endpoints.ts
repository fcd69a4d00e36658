// Access requests on the wire, for reviewers: list, read, decide, send the claim link again.

import { data, empty, endpoint, oneOf, page, searchText } from "../../http/endpoint.ts";
import { choice, list, nullable, object, optional, text, timeInput, uuid } from "../../http/schema.ts";
import { AppError } from "../../kernel/error.ts";
import { ALLOWLIST_MAX, DEFAULT_SCOPES, SCOPES } from "../api-clients/model.ts";
import type { SignedIn } from "../auth/model.ts";
import { reviewedRequestSchema, toWireReviewed } from "./access-request-wire.ts";
import { type ApproveDeps, approveAccessRequest } from "./approve-access-request.ts";
import { ACCESS_REQUEST_STATUSES, REVIEW_NOTE_MAX } from "./model.ts";
import { type RejectDeps, rejectAccessRequest } from "./reject-access-request.ts";
import { type ResendDeps, resendClaim } from "./resend-claim.ts";

export type ReviewDeps = ApproveDeps & RejectDeps & ResendDeps;

const REQUEST_ID = { id: "access_request.not_found" } as const;

const approveBody = object({
	review_note: optional(text({ min: 0, max: REVIEW_NOTE_MAX, description: "Goes into the decision mail." })),
	app_id: optional(
		uuid({
			description: "The application the client is for; without it one is made, named after the project.",
		}),
	),
	scopes: optional(
		list(choice(SCOPES), { unique: true, description: `${DEFAULT_SCOPES.join(", ")} unless given.` }),
	),
	ip_allowlist: optional(
		list(text({ max: 64 }), {
			max: ALLOWLIST_MAX,
			description: "Addresses and CIDRs the client may call from; empty means any.",
		}),
	),
	expires_at: optional(
		nullable(timeInput({ description: "When the client's credentials end; null means never." })),
	),
});

const rejectBody = object({
	review_note: text({ max: REVIEW_NOTE_MAX, description: "The reason; goes into the decision mail." }),
});

export function reviewEndpoints(deps: ReviewDeps) {
	return {
		list: endpoint<SignedIn>()({
			name: "listAccessRequests",
			summary: "List access requests",
			query: { status: oneOf(ACCESS_REQUEST_STATUSES), q: searchText() },
			description:
				"`q` finds a part of the applicant's name, the e-mail, the company or the project name, without regard to ASCII case.",
			answer: page(reviewedRequestSchema, "Newest first."),
			async handle({ caller: { tenantId }, query, page }) {
				const { items, total } = await deps.db.stores.accessRequests.list({ tenantId, ...query }, page);
				return { items: items.map(toWireReviewed), total };
			},
		}),

		get: endpoint<SignedIn>()({
			name: "getAccessRequest",
			summary: "Get an access request",
			ids: REQUEST_ID,
			answer: data(200, reviewedRequestSchema, "The access request."),
			async handle({ caller, ids }) {
				const request = await deps.db.stores.accessRequests.findById(caller.tenantId, ids.id as string);
				if (request === undefined) throw new AppError("access_request.not_found", "no such access request");
				return toWireReviewed(request);
			},
		}),

		approve: endpoint<SignedIn>()({
			name: "approveAccessRequest",
			summary: "Approve an access request",
			description:
				"Makes an API client in status `unclaimed`, and an application for it (policy `assigned`) unless `app_id` names one. The applicant is mailed a link, good once and for 7 days, to claim the client; only then its Secret is made. Of simultaneous decisions one wins, the others answer 409.",
			ids: REQUEST_ID,
			body: approveBody,
			answer: data(200, reviewedRequestSchema, "The approved request, with `api_client_id`."),
			errors: ["access_request.already_decided"],
			async handle({ caller, ids, body, request }) {
				const client = {
					appId: body.app_id,
					scopes: body.scopes,
					ipAllowlist: body.ip_allowlist ?? [],
					expiresAtMs: body.expires_at == null ? null : Date.parse(body.expires_at),
				};
				const approval = { id: ids.id as string, reviewNote: body.review_note ?? "", client };
				return toWireReviewed(
					await approveAccessRequest(deps, approval, { actor: caller.user, origin: request }),
				);
			},
		}),

		reject: endpoint<SignedIn>()({
			name: "rejectAccessRequest",
			summary: "Reject an access request",
			description: "The applicant is mailed the note, and may submit again.",
			ids: REQUEST_ID,
			body: rejectBody,
			answer: data(200, reviewedRequestSchema, "The rejected request."),
			errors: ["access_request.already_decided"],
			async handle({ caller, ids, body, request }) {
				const rejection = { id: ids.id as string, reviewNote: body.review_note };
				return toWireReviewed(
					await rejectAccessRequest(deps, rejection, { actor: caller.user, origin: request }),
				);
			},
		}),

		resend: endpoint<SignedIn>()({
			name: "resendClaimLink",
			summary: "Mail a fresh claim link",
			description:
				"Good once and for 7 days; the link mailed before dies at once. 409 once the credentials were claimed, for a request that is not approved, and when its API client was deleted, disabled or has expired.",
			ids: REQUEST_ID,
			answer: empty(202, "The mail is on its way."),
			errors: [
				"access_request.not_approved",
				"access_request.already_claimed",
				"access_request.client_unavailable",
			],
			handle: ({ caller, ids, request }) =>
				resendClaim(deps, ids.id as string, { actor: caller.user, origin: request }),
		}),
	};
}
