// `/applications/{id}/oauth-client/refusals`: the last refused requests of an OAuth client.

import type { Administrator } from "../../../domain/caller.ts";
import { OAUTH_REFUSALS_MAX, OAUTH_REFUSALS_OF_CODE } from "../../../domain/oauth-refusal.ts";
import { endpoint, page } from "../../../http/endpoint.ts";
import { object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { getOAuthClient } from "./manage-oauth-client.ts";

const refusalSchema = object(
	{
		at: time(),
		code: plain({ description: "The OAuth error of the response.", examples: ["invalid_grant"] }),
		reason: plain({
			description: "The cause, which the response may not reveal.",
			examples: ["invalid secret provided"],
		}),
		method: plain(),
		path: plain({ description: "The path without the query." }),
		ip: plain(),
		request_id: plain({ description: "`X-Request-Id` of the response." }),
	},
	{ title: "OAuthRefusal" },
);
const toWireRefusal = toWire(refusalSchema);

export function oauthRefusalEndpoints(platform: Platform) {
	const { oauthRefusals } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listOAuthRefusals",
			summary: "List the last refused requests of an OAuth client",
			description: `Lists refused sign-ins and token requests with the \`client_id\` of the application. They appear after some seconds and are kept for 30 days: the newest ${OAUTH_REFUSALS_OF_CODE} of each error, at most ${OAUTH_REFUSALS_MAX}. The \`client_id\` is not a secret: anyone who knows it may have sent the request.`,
			ids: { id: "application.not_found" },
			response: page(refusalSchema, "Refused requests of the client, newest first."),
			errors: ["oauth_client.not_found"],
			async handle({ caller: { tenantId }, ids: { id }, page }) {
				await getOAuthClient(platform, tenantId, id);
				return mapPage(await oauthRefusals.list(id, page), toWireRefusal);
			},
		}),
	};
}
