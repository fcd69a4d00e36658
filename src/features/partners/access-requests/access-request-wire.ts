// The wire forms of an access request: the record of the specification, and the additional fields for reviewers.

import { ALLOWLIST_MAX } from "../../../domain/allowlist.ts";
import { DEFAULT_SCOPES, SCOPES } from "../../../domain/api-client.ts";
import { ROLE_NAME_MAX } from "../../../domain/application-role.ts";
import { GRANT_ROLES_MAX } from "../../../domain/grant.ts";
import type { PartnerKey } from "../../../domain/partner-key.ts";
import type { Reviewed } from "../../../domain/request.ts";
import type { RequestOf } from "../../../domain/request-queue.ts";
import {
	allOf,
	choice,
	type Infer,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	text,
	time,
	uuid,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { publicKeysSchema, toWireKeys } from "../api-clients/api-client-wire.ts";
import {
	kindFields,
	mixedScripts,
	mixedScriptsField,
	reviewerFields,
	stateFields,
} from "../requests/request-wire.ts";

const record = {
	id: plain({ format: "uuid" }),
	applicant_name: plain(),
	email: plain({ format: "email" }),
	company: plain('Empty (`""`) if absent.'),
	project_name: plain(),
	purpose: plain(),
	...stateFields,
};

/** Exactly the fields of the specification, "Access request". */
export const accessRequestSchema = object(record, { title: "AccessRequest" });

/** For reviewers: the record, the username of the reviewer, and the API client of an approval. */
export const reviewedRequestSchema = object(
	{
		...kindFields("partner"),
		...record,
		...reviewerFields,
		...mixedScriptsField(["applicant_name", "company", "project_name"]),
		api_client_id: nullable(
			plain({ format: "uuid", description: "The API client that the approval created; null without one." }),
		),
		claimed_at: nullable(time("When the applicant claimed the credentials.")),
		test_calls_ok: integer("Calls of its test client that succeeded, delayed by some seconds."),
		test_calls_refused: integer("Calls of its test client that were refused."),
	},
	{ title: "ReviewedAccessRequest" },
);

/** One request: also the keys of its API client, which a reviewer accepts. */
export const partnerRequestSchema = allOf(
	reviewedRequestSchema,
	object({ public_keys: publicKeysSchema }, { title: "AccessRequestWithKeys" }),
);

const { applicant_name, company, project_name, status, created_at } = record;

/** What the holder of a withdrawal link sees: enough to recognize the request. */
export const withdrawableSchema = object(
	{ applicant_name, company, project_name, status, created_at },
	{ title: "WithdrawableRequest" },
);

/** Of an approval of several kinds. */
export const approvedRoles = optional(
	list(text({ max: ROLE_NAME_MAX }), {
		max: GRANT_ROLES_MAX,
		description:
			"Of an access request: names or ids of roles of the application `app_id`, which are granted to the client, for the gate. Default: no grant. Of a request of a user: those of the requested roles that are granted. Default: all.",
		examples: [["reader"]],
	}),
);

/** Of an approval, beside what every kind has. */
export const clientSettingsBody = object({
	app_id: optional(
		uuid(
			"Of an access request: the application the client belongs to; by default a new one named after the project.",
		),
	),
	scopes: optional(
		list(choice(SCOPES), {
			unique: true,
			description: `Of an access request. Default: ${DEFAULT_SCOPES.join(", ")}.`,
		}),
	),
	roles: approvedRoles,
	ip_allowlist: optional(
		list(text({ max: 64 }), {
			max: ALLOWLIST_MAX,
			description:
				"Of an access request: IP addresses and CIDRs that the client may call from; empty allows any.",
		}),
	),
});

export const toWireRequest = toWire(accessRequestSchema);
const toWireFields = toWire(reviewedRequestSchema);

export function toWireReviewed(
	request: RequestOf["partner"] & Reviewed,
): Infer<typeof reviewedRequestSchema> {
	const { applicantName, company, projectName, resultId } = request;
	const names = { applicant_name: applicantName, company, project_name: projectName };
	return toWireFields({ ...request, apiClientId: resultId, mixedScripts: mixedScripts(names) });
}

export function toWireWithKeys(
	request: RequestOf["partner"] & Reviewed,
	keys: readonly PartnerKey[],
): Infer<typeof partnerRequestSchema> {
	return { ...toWireReviewed(request), public_keys: toWireKeys(keys) };
}
export const toWireWithdrawable = toWire(withdrawableSchema);
