// `/api-clients`: administrators manage the credentials of external systems.

import { ALLOWLIST_MAX, ALLOWLIST_MODES, CIDR_TEXT_MAX } from "../../../domain/allowlist.ts";
import {
	API_CLIENT_ORDERS,
	API_CLIENT_STATUSES,
	CLIENT_MODES,
	CLIENT_NAME_MAX,
	DEFAULT_SCOPES,
	getApiClient,
	NEW_CLIENT,
	SCOPES,
} from "../../../domain/api-client.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { data, empty, endpoint, exportablePage, LIST_FORMAT } from "../../../http/describe/endpoint.ts";
import { idQuery, oneOf, searchText, timeText } from "../../../http/describe/query-parameters.ts";
import {
	choice,
	list,
	nameText,
	nullable,
	object,
	optional,
	text,
	timeInput,
	uuid,
} from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import {
	apiClientSchema,
	apiClientWithCredentialSchema,
	countedSince,
	listedClientSchema,
	publicKeyInput,
	toListedClient,
	toWireApiClient,
	toWireWithCredential,
} from "./api-client-wire.ts";
import { createApiClient, deleteApiClient, updateApiClient } from "./manage-api-client.ts";

const name = nameText({ max: CLIENT_NAME_MAX });
const otherFields = {
	scopes: optional(
		list(choice(SCOPES), {
			unique: true,
			description: `What the client may call; an empty list allows only \`whoami\`. Default for a new client: ${DEFAULT_SCOPES.map((scope) => `\`${scope}\``).join(", ")}.`,
		}),
	),
	ip_allowlist: optional(
		list(text({ max: CIDR_TEXT_MAX }), {
			max: ALLOWLIST_MAX,
			description:
				"IP addresses and CIDRs that the client may call from; empty allows any. The host bits of a CIDR must be zero. `::ffff:a.b.c.d` is stored as `a.b.c.d`.",
			examples: [["203.0.113.7", "2001:db8::/32"]],
		}),
	),
	ip_allowlist_mode: optional(
		choice(ALLOWLIST_MODES, {
			description:
				"Default `enforce`. `report` accepts every IP address and counts requests from those that are not on the list: see `GET /api-clients/{id}/allowlist-report`.",
		}),
	),
	expires_at: optional(nullable(timeInput("A time in the future; null means never."))),
};
/** The body of `create`; the CLI checks its input against it too. */
export const createBody = object({
	app_id: uuid(),
	name,
	...otherFields,
	public_key: optional(publicKeyInput()),
});
const patchBody = object({
	name: optional(name),
	...otherFields,
	status: optional(choice(["active", "disabled"])),
});
export const toFields = fromWire(createBody);
const toPatch = fromWire(patchBody);

const ids = { id: "api_client.not_found" } as const;

export function apiClientsEndpoints(platform: Platform) {
	const { clock } = platform;
	const { apiClients, statistics } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listApiClients",
			summary: "List API clients",
			description:
				"`q` matches part of the name, the API key, or the applicant's name, email address, or company, literally, ignoring case and accents. `dormant=true` lists clients of any status that have not been used for 90 days, which you may want to disable; `dormant=false` lists the others. `expires_after` (inclusive) and `expires_before` (exclusive) limit the expiry time.",
			query: {
				q: searchText(),
				app_id: idQuery("Clients of this application."),
				status: oneOf(API_CLIENT_STATUSES),
				mode: oneOf(CLIENT_MODES),
				dormant: oneOf(["true", "false"]),
				expires_after: timeText(),
				expires_before: timeText(),
				sort: oneOf(
					API_CLIENT_ORDERS,
					"Default: `newest`. `expires_at`: what expires first. `calls_24h` and `refused_24h`: the most calls first.",
				),
				...LIST_FORMAT,
			},
			response: exportablePage(
				"api-clients",
				listedClientSchema,
				"API clients of the tenant, with their calls.",
			),
			async handle({ caller: { tenantId }, query, page }) {
				const { q, app_id: appId, status, mode } = query;
				const { expires_after: expiresAfterMs, expires_before: expiresBeforeMs } = query;
				const nowMs = clock();
				const sinceMs = countedSince(nowMs);
				const dormant = query.dormant && { is: query.dormant === "true", nowMs };
				const filter = {
					tenantId,
					...(query.sort && { sort: { by: query.sort, sinceMs } }),
					...(q && { q }),
					...(appId && { appId }),
					...(status && { status }),
					...(mode && { mode }),
					...(dormant && { dormant }),
					expiresAfterMs,
					expiresBeforeMs,
				};
				const found = await apiClients.list(filter, page);
				const ids = found.items.map(({ id }) => id);
				const calls = await statistics.listCalls(tenantId, ids, sinceMs);
				return mapPage(found, (client) => toListedClient(client, calls.get(client.id) ?? [], nowMs));
			},
		}),

		create: endpoint<Administrator>()({
			name: "createApiClient",
			summary: "Create an API client",
			description:
				"Only this response contains the Secret. With `public_key`, the client gets no Secret: it signs with the private key, which only it has.",
			body: createBody,
			response: data(
				201,
				apiClientWithCredentialSchema,
				"The new API client with its Secret, or with the id of its key.",
			),
			secret: true,
			async handle({ caller, body }) {
				const fields = { ...NEW_CLIENT, ...toFields(body) };
				const { client, ...issued } = await createApiClient(platform, fields, caller);
				return toWireWithCredential(client, issued, clock());
			},
		}),

		get: endpoint<Administrator>()({
			name: "getApiClient",
			summary: "Get an API client",
			ids,
			response: data(200, apiClientSchema, "The API client, without its Secret."),
			handle: async ({ caller, ids: { id } }) =>
				toWireApiClient(await getApiClient(apiClients, caller.tenantId, id), clock()),
		}),

		update: endpoint<Administrator>()({
			name: "updateApiClient",
			summary: "Change an API client",
			description:
				"Absent fields keep their values; lists are replaced as a whole. Changes apply from the client's next request. Only the claim activates an unclaimed client: setting it to `active` returns 409. Disabling it blocks the claim, and setting it to `active` afterwards makes it `unclaimed` again.",
			ids,
			body: patchBody,
			response: data(200, apiClientSchema, "The changed API client."),
			errors: ["api_client.unclaimed", "api_client.test_mode"],
			async handle({ caller, ids: { id }, body }) {
				const client = await updateApiClient(platform, id, toPatch(body), caller);
				return toWireApiClient(client, clock());
			},
		}),

		remove: endpoint<Administrator>()({
			name: "deleteApiClient",
			summary: "Delete an API client",
			description: "The service refuses its requests immediately. This cannot be undone.",
			ids,
			response: empty(204, "The API client is deleted."),
			handle: ({ caller, ids: { id } }) => deleteApiClient(platform, id, caller),
		}),
	};
}
