// `/refusals`: administrators and auditors find why a call was refused; `/external/refusals`: a client finds its own.

import type { Administrator } from "../../../domain/caller.ts";
import { type NamedRefusal, REFUSAL_SUBJECTS, REFUSALS_KEPT } from "../../../domain/refusal.ts";
import type { SignedCaller } from "../../../domain/signing-client.ts";
import { endpoint, page } from "../../../http/describe/endpoint.ts";
import { idQuery, oneOf, searchText, timeText } from "../../../http/describe/query-parameters.ts";
import { choice, integer, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";

const request = {
	at: time(),
	code: plain({
		description: "The error code of the response; for an OAuth client, the OAuth error.",
		examples: ["signature.invalid"],
	}),
	reason: nullable(
		plain({
			description: "What the response does not reveal, such as `client.expired` or `signature.mismatch`.",
			examples: ["signature.mismatch"],
		}),
	),
	method: plain(),
	path: plain("The path without the query, at most 200 characters, with possible secrets masked."),
	caller: plain({
		description:
			"Who sent the request, as in `Latchkey-Caller`. `-` if the request did not prove it: an API key or a client ID is not a secret, so anyone who knows it may have sent the request.",
		examples: ["partner:01980000-0000-7000-8000-000000000000"],
	}),
	ip: plain(),
	request_id: plain({
		description: "`X-Request-Id` of the response; for a gate, `Latchkey-Request-Id`.",
		examples: ["k3Jd_w9Q-1f"],
	}),
};
const refusalSchema = object(
	{
		subject: choice(REFUSAL_SUBJECTS, { description: "What refused, or whose call was refused." }),
		subject_name: plain("The name of the API client, or of the application."),
		api_client_id: nullable(plain({ format: "uuid", description: "The API client that called, if known." })),
		application_id: nullable(
			plain({
				format: "uuid",
				description: "The application of the client or gate; null for a test client.",
			}),
		),
		rule: nullable(integer("The position of the gate's rule, from 0; null if no rule was found.")),
		...request,
	},
	{ title: "Refusal" },
);
const ownRefusalSchema = object(request, { title: "OwnRefusal" });
const toWireRefusal = toWire(refusalSchema);
const toWireOwn = toWire(ownRefusalSchema);

const { api_client: client, oauth_client: oauth, gate } = REFUSALS_KEPT;
const KEPT = `They appear after some seconds and are kept for 30 days: of an API client, the newest ${client.ofCode} of each code, at most ${client.ofCallers} with a valid signature and ${client.ofCallers} without`;

export function refusalEndpoints({ db }: Platform) {
	const { refusals } = db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listRefusals",
			summary: "List refused calls of API clients, OAuth clients, and gates",
			description: `Finds why a call was refused: a partner names the request ID of its response. \`from\` is inclusive and \`to\` exclusive, both ISO 8601 with a zone; all other filters match exactly. ${KEPT}; of an OAuth client, the newest ${oauth.ofCode} of each error, at most ${oauth.ofCallers}; of a gate, the newest ${gate.ofCallers} with a recognized caller and ${gate.ofCallers} without. Use \`explain-signature\` to find the cause of a wrong signature.`,
			query: {
				request_id: searchText("The ID of the request."),
				api_client_id: idQuery("Returns only calls of this API client, those at gates included."),
				application_id: idQuery(
					"Returns only calls of the API clients and of the OAuth client of this application, and those at its gate.",
				),
				subject: oneOf(REFUSAL_SUBJECTS),
				code: searchText("The error code."),
				from: timeText(),
				to: timeText(),
			},
			response: page(refusalSchema, "Refused calls of the tenant, newest first."),
			async handle({ caller: { tenantId }, query, page }) {
				const { request_id, api_client_id, application_id, from, to, subject, code } = query;
				const ids = { requestId: request_id, apiClientId: api_client_id, applicationId: application_id };
				const filters = { ...ids, subject, code, fromMs: from, toMs: to };
				return mapPage(await refusals.list({ tenantId, ...filters }, page), toWireRefusal);
			},
		}),

		listOwn: endpoint<SignedCaller>()({
			name: "listOwnRefusals",
			summary: "List the last refused calls of the calling client",
			description: `Lists failed calls with the caller's API key, with the reason that their responses did not reveal. ${KEPT}.`,
			response: page(ownRefusalSchema, "Refused calls of the calling client, newest first."),
			handle: async ({ caller: { tenantId, id }, page }) =>
				mapPage(
					await refusals.list({ tenantId, subject: "api_client", apiClientId: id }, page),
					(refusal: NamedRefusal) => toWireOwn(refusal),
				),
		}),
	};
}
