// The last refused calls of a client: `/api-clients/{id}/refusals` for administrators, `/external/refusals` for the client.

import type { Administrator } from "../../../domain/caller.ts";
import { REFUSED_CALLS_OF_CODE, REFUSED_CALLS_OF_KIND } from "../../../domain/refused-call.ts";
import type { SignedCaller } from "../../../domain/signing-client.ts";
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
			description: "The path without the query, at most 200 characters, with possible secrets masked.",
		}),
		ip: plain(),
		request_id: plain({ description: "`X-Request-Id` of the response." }),
		signature_valid: boolean({
			description:
				"False if only the API key identifies the client. The key is not a secret: anyone who knows it may have sent the call.",
		}),
	},
	{ title: "RefusedCall" },
);
/** The CLI uses it too. */
export const toWireRefusal = toWire(refusalSchema);

const KEPT = `They appear after some seconds and are kept for 30 days: the newest ${REFUSED_CALLS_OF_CODE} of each code, at most ${REFUSED_CALLS_OF_KIND} with a valid signature and ${REFUSED_CALLS_OF_KIND} without.`;

export function refusalEndpoints({ db }: Platform) {
	const { apiClients, refusedCalls } = db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listRefusals",
			summary: "List the last refused calls of an API client",
			description: `Lists failed calls with the client's API key. ${KEPT} Use \`explain-signature\` to find the cause of a wrong signature.`,
			ids: { id: "api_client.not_found" },
			response: page(refusalSchema, "Refused calls of the client, newest first."),
			async handle({ caller: { tenantId }, ids: { id }, page }) {
				await getApiClient(apiClients, tenantId, id);
				return mapPage(await refusedCalls.list(tenantId, id, page), toWireRefusal);
			},
		}),

		listOwn: endpoint<SignedCaller>()({
			name: "listOwnRefusals",
			summary: "List the last refused calls of the calling client",
			description: `Lists failed calls with the caller's API key, with the reason that their responses did not reveal. ${KEPT}`,
			response: page(refusalSchema, "Refused calls of the calling client, newest first."),
			handle: async ({ caller: { tenantId, id }, page }) =>
				mapPage(await refusedCalls.list(tenantId, id, page), toWireRefusal),
		}),
	};
}
