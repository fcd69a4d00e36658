// Access requests on the wire, for applicants: submit, claim the credentials, withdraw. Nobody signs in here.

import { bare, data, empty, endpoint } from "../../http/endpoint.ts";
import { email, object, optional, type Schema, secretText, text } from "../../http/schema.ts";
import type { ApiClient } from "../api-clients/model.ts";
import type { Visitor } from "../tenants/model.ts";
import { accessRequestSchema, toWireRequest } from "./access-request-wire.ts";
import { type ClaimDeps, claimApiClient } from "./claim-api-client.ts";
import { APPLICANT_NAME_MAX, COMPANY_MAX, PROJECT_NAME_MAX, PURPOSE_MAX } from "./model.ts";
import { type SubmitDeps, submitAccessRequest } from "./submit-access-request.ts";
import { type WithdrawDeps, withdrawAccessRequest } from "./withdraw-access-request.ts";

export type ApplicantDeps = SubmitDeps &
	ClaimDeps &
	WithdrawDeps & {
		/** The wire form of an API client with its Secret, as create and regenerate answer it too. */
		readonly clientWire: {
			readonly schema: Schema<unknown>;
			toWire(client: ApiClient, secretPlain: string, nowMs: number): unknown;
		};
	};

/** Ours have 43 characters; any other text is an unknown token (404), only a far longer one is not looked at (400). */
const TOKEN_MAX = 512;

const submission = object({
	applicant_name: text({ max: APPLICANT_NAME_MAX }),
	email: email({ description: "Mails about the request go here." }),
	company: optional(text({ min: 0, max: COMPANY_MAX })),
	project_name: text({ max: PROJECT_NAME_MAX }),
	purpose: text({ max: PURPOSE_MAX, description: "The intended use." }),
});

const tokenBody = (description: string) => object({ token: secretText({ max: TOKEN_MAX, description }) });

export function applicantEndpoints(deps: ApplicantDeps) {
	return {
		submit: endpoint<Visitor>()({
			name: "submitAccessRequest",
			summary: "Submit an API access request",
			description:
				"One pending request an e-mail: of simultaneous submissions one answers 201, the others 409. The applicant is mailed a receipt with a link to withdraw, and later the decision, in English or Chinese by `Accept-Language`. The answer is the bare record, not wrapped in `data`.",
			body: submission,
			answer: bare(201, accessRequestSchema, "The request, pending."),
			errors: ["access_request.pending_exists", "mail.too_many"],
			async handle({ caller, body, request }) {
				const wanted = {
					applicantName: body.applicant_name,
					email: body.email,
					company: body.company ?? "",
					projectName: body.project_name,
					purpose: body.purpose,
				};
				const context = { tenantId: caller.tenantId, origin: request };
				return toWireRequest(await submitAccessRequest(deps, wanted, context));
			},
		}),

		claim: endpoint<undefined>()({
			name: "claimApiClient",
			summary: "Claim the credentials of an approved request",
			description:
				"The token is the part after `#` of the link in the approval mail: good once, for 7 days, until a fresh link is sent. The Secret is made by this call and shown only in its answer; from then on the client can sign. A token that is unknown, used, replaced, expired or malformed answers the same 404, and so does one whose client was deleted, disabled or has expired.",
			body: tokenBody("From the approval mail."),
			answer: data(201, deps.clientWire.schema, "The API client, with its Secret."),
			errors: ["claim.not_found"],
			secret: true,
			async handle({ body, request }) {
				const { client, secretPlain } = await claimApiClient(deps, body.token, request);
				return deps.clientWire.toWire(client, secretPlain, deps.clock());
			},
		}),

		withdraw: endpoint<undefined>()({
			name: "withdrawAccessRequest",
			summary: "Withdraw a pending access request",
			description:
				"The token is the part after `#` of the link in the receipt mail. It dies with the withdrawal or the decision: 404 from then on, as for an unknown one.",
			body: tokenBody("From the receipt mail."),
			answer: empty(204, "The request is withdrawn."),
			errors: ["withdrawal.not_found"],
			handle: ({ body, request }) => withdrawAccessRequest(deps, body.token, request),
		}),
	};
}
