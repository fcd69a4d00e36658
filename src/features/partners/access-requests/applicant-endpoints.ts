// `/access-requests` for applicants, who do not sign in: submit a request, claim the credentials, withdraw.

import {
	APPLICANT_NAME_MAX,
	COMPANY_MAX,
	PROJECT_NAME_MAX,
	PURPOSE_MAX,
} from "../../../domain/access-request.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { bare, data, empty, endpoint } from "../../../http/describe/endpoint.ts";
import {
	email,
	multilineText,
	nameText,
	object,
	optional,
	secretText,
} from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import type { Platform } from "../../platform.ts";
import {
	apiClientWithCredentialSchema,
	apiClientWithSecretSchema,
	publicKeyInput,
	toWireWithCredential,
	toWireWithSecret,
} from "../api-clients/api-client-wire.ts";
import {
	accessRequestSchema,
	toWireRequest,
	toWireWithdrawable,
	withdrawableSchema,
} from "./access-request-wire.ts";
import { claimApiClient } from "./claim-api-client.ts";
import { createTestClient } from "./create-test-client.ts";
import { submitAccessRequest } from "./submit-access-request.ts";
import { previewWithdrawal, withdrawAccessRequest } from "./withdraw-access-request.ts";

/** Issued tokens have 43 characters. Other text up to this length is an unknown token (404); longer text is a 400. */
const TOKEN_MAX = 512;

const submissionBody = object({
	applicant_name: nameText({ max: APPLICANT_NAME_MAX }),
	email: email("The service mails the receipt and the decision here."),
	company: optional(nameText({ min: 0, max: COMPANY_MAX })),
	project_name: nameText({ max: PROJECT_NAME_MAX }),
	purpose: multilineText({ max: PURPOSE_MAX, description: "The intended use." }),
});

const toSubmission = fromWire(submissionBody);

const token = (description: string) => secretText({ max: TOKEN_MAX, description });
const tokenBody = (description: string) => object({ token: token(description) });

export function applicantEndpoints(platform: Platform) {
	return {
		submit: endpoint<Visitor>()({
			name: "submitAccessRequest",
			summary: "Submit an API access request",
			description:
				"An email address can have one pending request. Of concurrent submissions, one returns 201 and the others return 409. The service mails the applicant a receipt with a withdrawal link, and later the decision, in English or Chinese depending on `Accept-Language`. An email address receives at most one receipt a minute and five an hour over all tenants; further requests are stored without one. The response is the bare record, not wrapped in `data`.",
			body: submissionBody,
			response: bare(201, accessRequestSchema, "The request, pending."),
			errors: ["access_request.pending_exists", "mail.too_many"],
			async handle({ caller, body }) {
				const submission = { company: "", ...toSubmission(body) };
				return toWireRequest(await submitAccessRequest(platform, submission, caller));
			},
		}),

		claim: endpoint<undefined>()({
			name: "claimApiClient",
			summary: "Claim the credentials of an approved request",
			description:
				"The token is the part after `#` in the link of the approval mail. It can be used once within 7 days, and a newer link replaces it. This call issues the Secret, which only this response contains; the client can then sign requests. With `public_key`, it gets no Secret and signs with the private key, which only it has; if the tenant requires a review of such keys, a reviewer accepts it first. A token that is unknown, used, replaced, expired, or malformed returns the same 404, and so does a token whose client was deleted, was disabled, or has expired.",
			body: object({
				token: token("From the link in the approval mail."),
				public_key: optional(publicKeyInput()),
			}),
			response: data(
				201,
				apiClientWithCredentialSchema,
				"The API client with its Secret, or with the id of its key.",
			),
			errors: ["claim.not_found"],
			secret: true,
			async handle({ body, request }) {
				const { token, public_key: publicKey } = body;
				const { client, ...issued } = await claimApiClient(platform, { token, publicKey }, request);
				return toWireWithCredential(client, issued, platform.clock());
			},
		}),

		createTestClient: endpoint<undefined>()({
			name: "createTestClient",
			summary: "Create a test client before the decision",
			description:
				"The token is the part after `#` in the link of the receipt mail, which contains one if `test_clients` of the tenant is on. It can be used once while the request is pending. Requests are signed like those of an approved client. The test client sees three made-up people and no records of the tenant, passes a gate only where the rule has `test: true`, and may make 30 calls a minute; responses to its calls contain `Latchkey-Mode: test`. It ends 30 days after the approval, and immediately when the request is rejected or withdrawn. Any other token returns the same 404.",
			body: tokenBody("From the link in the receipt mail."),
			response: data(201, apiClientWithSecretSchema, "The test client with its Secret."),
			errors: ["test_link.not_found"],
			secret: true,
			async handle({ body, request }) {
				const { client, secretPlain } = await createTestClient(platform, body.token, request);
				return toWireWithSecret(client, secretPlain, platform.clock());
			},
		}),

		previewWithdrawal: endpoint<undefined>()({
			name: "previewWithdrawal",
			summary: "Show the access request that a link withdraws",
			description:
				"Changes nothing: the token remains valid. A token that is unknown or malformed, or whose request is no longer pending, returns the same 404.",
			body: tokenBody("From the link in the receipt mail."),
			response: data(200, withdrawableSchema, "The pending request."),
			errors: ["withdrawal.not_found"],
			async handle({ body }) {
				return toWireWithdrawable(await previewWithdrawal(platform, body.token));
			},
		}),

		withdraw: endpoint<undefined>()({
			name: "withdrawAccessRequest",
			summary: "Withdraw a pending access request",
			description:
				"The token is the part after `#` in the link of the receipt mail. It is valid until the request is withdrawn or decided. After that it returns 404, like an unknown token.",
			body: tokenBody("From the link in the receipt mail."),
			response: empty(204, "The request is withdrawn."),
			errors: ["withdrawal.not_found"],
			handle: ({ body, request }) => withdrawAccessRequest(platform, body.token, request),
		}),
	};
}
