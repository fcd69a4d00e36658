// The wire form of an access request: the record of the specification, and the additional fields for reviewers.

import { ACCESS_REQUEST_STATUSES } from "../../../domain/access-request.ts";
import { choice, nullable, object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";

const record = {
	id: plain({ format: "uuid" }),
	applicant_name: plain(),
	email: plain({ format: "email" }),
	company: plain({ description: 'Empty (`""`) if absent.' }),
	project_name: plain(),
	purpose: plain(),
	status: choice(ACCESS_REQUEST_STATUSES),
	review_note: plain({ description: 'Empty (`""`) until the request is decided.' }),
	reviewed_by: nullable(plain({ format: "uuid" })),
	reviewed_at: nullable(time()),
	created_at: time(),
	updated_at: time(),
};

/** Specification, "Access request": exactly its fields. */
export const accessRequestSchema = object(record, { title: "AccessRequest" });

/** For reviewers: the record and the API client of an approval. */
export const reviewedRequestSchema = object(
	{
		...record,
		api_client_id: nullable(
			plain({ format: "uuid", description: "The API client created by the approval; null without one." }),
		),
	},
	{ title: "ReviewedAccessRequest" },
);

export const toWireRequest = toWire(accessRequestSchema);

export const toWireReviewed = toWire(reviewedRequestSchema);
