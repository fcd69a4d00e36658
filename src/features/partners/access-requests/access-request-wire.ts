// The wire forms of an access request: the record of the specification, and the additional fields for reviewers.

import { ACCESS_REQUEST_STATUSES } from "../../../domain/access-request.ts";
import { choice, integer, nullable, object, plain, time } from "../../../http/schema.ts";
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

/** Exactly the fields of the specification, "Access request". */
export const accessRequestSchema = object(record, { title: "AccessRequest" });

/** For reviewers: the record, the username of the reviewer, and the API client of an approval. */
export const reviewedRequestSchema = object(
	{
		...record,
		api_client_id: nullable(
			plain({ format: "uuid", description: "The API client that the approval created; null without one." }),
		),
		reviewed_by_name: nullable(
			plain({ description: "Username; null if no user decided it or the account was deleted." }),
		),
		claimed_at: nullable(time({ description: "When the applicant claimed the credentials." })),
		test_calls_ok: integer({
			description: "Calls of its test client that succeeded, delayed by some seconds.",
		}),
		test_calls_refused: integer({ description: "Calls of its test client that were refused." }),
	},
	{ title: "ReviewedAccessRequest" },
);

const { applicant_name, company, project_name, status, created_at } = record;

/** What the holder of a withdrawal link sees: enough to recognize the request. */
export const withdrawableSchema = object(
	{ applicant_name, company, project_name, status, created_at },
	{ title: "WithdrawableRequest" },
);

/** The headers and the plain text of a mail. */
export const decisionMailSchema = object(
	{
		from_name: plain(),
		from_address: plain(),
		to_name: plain(),
		to_address: plain(),
		locale: plain({ description: "The applicant's language." }),
		subject: plain(),
		text: plain({ description: "The plain-text part. The HTML part has the same content." }),
	},
	{ title: "DecisionMail" },
);

export const toWireRequest = toWire(accessRequestSchema);
export const toWireReviewed = toWire(reviewedRequestSchema);
export const toWireWithdrawable = toWire(withdrawableSchema);
