// `/api-clients/{id}/refusals`: the last refused calls of a client.

import type { Administrator } from "../../../domain/caller.ts";
import { REFUSED_CALLS_OF_CODE, REFUSED_CALLS_OF_KIND } from "../../../domain/refused-call.ts";
import { endpoint, page } from "../../../http/endpoint.ts";
import { boolean, nullable, object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { getApiClient } from "./manage-api-client.ts";

const refusalSchema = object(
	{
		at: time(),
		code: plain({ description: "The error code of the response.", examples: ["signature.invalid"] }),
		reason: nullable(
			plain({
				description: "What the response does not reveal, such as `client.expired` or `signature.mismatch`.",
				examples: ["signature.mismatch"],
			}),
		),
		method: plain(),
		path: plain({
			description: "Without query, at most 200 characters; parts that may be secrets are masked.",
		}),
		ip: plain(),
		request_id: plain({ description: "`X-Request-Id` of the response." }),
		signature_valid: boolean({
			description:
				"False: the call only named the API key, which is no secret. Anybody who knows the key may have sent it.",
		}),
	},
	{ title: "RefusedCall" },
);
/** Used by the command line too. */
export const toWireRefusal = toWire(refusalSchema);

export function refusalEndpoints({ db }: Platform) {
	const { apiClients, refusedCalls } = db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listRefusals",
			summary: "List the last refused calls of an API client",
			description: `Calls that named the client's API key and failed, at most 100, for 30 days; they appear after some seconds. Of each code the newest ${REFUSED_CALLS_OF_CODE} are kept, at most ${REFUSED_CALLS_OF_KIND} with a valid signature and ${REFUSED_CALLS_OF_KIND} without. \`explain-signature\` says more about a wrong signature.`,
			ids: { id: "api_client.not_found" },
			response: page(refusalSchema, "Refused calls of the client, newest first."),
			async handle({ caller: { tenantId }, ids: { id }, page }) {
				await getApiClient(apiClients, tenantId, id);
				return mapPage(await refusedCalls.list(tenantId, id, page), toWireRefusal);
			},
		}),
	};
}
