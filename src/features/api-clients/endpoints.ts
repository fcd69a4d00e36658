// `/api-clients`: the credentials of outside systems, as administrators manage them.

import { data, empty, endpoint, oneOf, page, type QueryParameter } from "../../http/endpoint.ts";
import { choice, list, nullable, object, optional, text, timeInput, uuid } from "../../http/schema.ts";
import { parseId } from "../../kernel/id.ts";
import { adminContext } from "../applications/model.ts";
import type { SignedIn } from "../auth/model.ts";
import {
	apiClientSchema,
	apiClientWithSecretSchema,
	toWireApiClient,
	toWireWithSecret,
} from "./api-client-wire.ts";
import { type CreateApiClientDeps, createApiClient } from "./create-api-client.ts";
import { type DeleteApiClientDeps, deleteApiClient } from "./delete-api-client.ts";
import {
	ALLOWLIST_MAX,
	ALLOWLIST_MODES,
	API_CLIENT_STATUSES,
	apiClientNotFound,
	CLIENT_NAME_MAX,
	DEFAULT_SCOPES,
	SCOPES,
} from "./model.ts";
import { type UpdateApiClientDeps, updateApiClient } from "./update-api-client.ts";

export type ApiClientsDeps = CreateApiClientDeps & UpdateApiClientDeps & DeleteApiClientDeps;

/** Longest text of an address or CIDR, with room for unusual spellings. */
const CIDR_TEXT_MAX = 64;

const name = text({ max: CLIENT_NAME_MAX });
const scopes = optional(
	list(choice(SCOPES), {
		unique: true,
		description: `What the client may ask; an empty list allows nothing but \`whoami\`. For a new client ${DEFAULT_SCOPES.join(", ")} unless given.`,
	}),
);
const ipAllowlist = optional(
	list(text({ max: CIDR_TEXT_MAX }), {
		max: ALLOWLIST_MAX,
		description:
			"Addresses and CIDRs the client may call from; empty means any. Host bits must be zero; `::ffff:a.b.c.d` is `a.b.c.d`.",
		examples: [["203.0.113.7", "2001:db8::/32"]],
	}),
);
const ipAllowlistMode = optional(
	choice(ALLOWLIST_MODES, {
		description:
			"`enforce` unless given. `report` lets every address through and counts those that are not on the list: `GET /api-clients/{id}/allowlist-report` shows them.",
	}),
);
const expiresAt = optional(nullable(timeInput({ description: "In the future; null for never." })));

const createBody = object({
	app_id: uuid(),
	name,
	scopes,
	ip_allowlist: ipAllowlist,
	ip_allowlist_mode: ipAllowlistMode,
	expires_at: expiresAt,
});
const patchBody = object({
	name: optional(name),
	scopes,
	ip_allowlist: ipAllowlist,
	ip_allowlist_mode: ipAllowlistMode,
	expires_at: expiresAt,
	status: optional(choice(["active", "disabled"])),
});
const appIdFilter: QueryParameter<string> = {
	schema: { type: "string", format: "uuid" },
	parse: (text) => {
		const value = parseId(text);
		return value === undefined ? { problem: "must be a UUID" } : { value };
	},
};
const ids = { id: "api_client.not_found" } as const;

export function apiClientsEndpoints(deps: ApiClientsDeps) {
	const { clock } = deps;
	const { apiClients } = deps.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listApiClients",
			summary: "List API clients",
			description:
				"`dormant=true` shows those that were not used for 90 days, `dormant=false` the others: candidates for being disabled, whatever their status.",
			query: {
				app_id: appIdFilter,
				status: oneOf(API_CLIENT_STATUSES),
				dormant: oneOf(["true", "false"]),
			},
			answer: page(apiClientSchema, "API clients of the tenant, newest first."),
			async handle({ caller: { tenantId }, query, page: asked }) {
				const { app_id: appId, status } = query;
				const nowMs = clock();
				const dormant = query.dormant && { is: query.dormant === "true", nowMs };
				const filter = {
					tenantId,
					...(appId && { appId }),
					...(status && { status }),
					...(dormant && { dormant }),
				};
				const { items, total } = await apiClients.list(filter, asked);
				return { items: items.map((client) => toWireApiClient(client, nowMs)), total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createApiClient",
			summary: "Create an API client",
			description: "The Secret is in this answer and never shown again.",
			body: createBody,
			answer: data(201, apiClientWithSecretSchema, "The new API client with its Secret."),
			secret: true,
			async handle({ caller, body, request }) {
				const wanted = {
					appId: body.app_id,
					name: body.name,
					scopes: body.scopes,
					ipAllowlist: body.ip_allowlist ?? [],
					ipAllowlistMode: body.ip_allowlist_mode ?? "enforce",
					expiresAtMs: timeOf(body.expires_at) ?? null,
				};
				const { client, secretPlain } = await createApiClient(deps, wanted, adminContext(caller, request));
				return toWireWithSecret(client, secretPlain, clock());
			},
		}),

		get: endpoint<SignedIn>()({
			name: "getApiClient",
			summary: "Get an API client",
			ids,
			answer: data(200, apiClientSchema, "The API client, without its Secret."),
			async handle({ caller, ids: { id } }) {
				const client = await apiClients.findById(caller.tenantId, id as string);
				if (client === undefined) throw apiClientNotFound();
				return toWireApiClient(client, clock());
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateApiClient",
			summary: "Change an API client",
			description:
				"Fields that are absent stay; lists are replaced whole; every change counts from the client's next request. An unclaimed client cannot be set `active` (409): its claim does that. Disabling it stops the claim, and setting it `active` again makes it `unclaimed` again.",
			ids,
			body: patchBody,
			answer: data(200, apiClientSchema, "The API client as it is now."),
			errors: ["api_client.unclaimed"],
			async handle({ caller, ids: { id }, body, request }) {
				const patch = {
					name: body.name,
					scopes: body.scopes,
					ipAllowlist: body.ip_allowlist,
					ipAllowlistMode: body.ip_allowlist_mode,
					expiresAtMs: timeOf(body.expires_at),
					status: body.status,
				};
				const client = await updateApiClient(deps, id as string, patch, adminContext(caller, request));
				return toWireApiClient(client, clock());
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteApiClient",
			summary: "Delete an API client",
			description: "What it signs is refused at once, and it cannot be brought back.",
			ids,
			answer: empty(204, "The API client is gone."),
			handle: ({ caller, ids: { id }, request }) =>
				deleteApiClient(deps, id as string, adminContext(caller, request)),
		}),
	};
}

/** Milliseconds of a time that was checked on its way in; null and undefined as they are. */
function timeOf(iso: string | null | undefined): number | null | undefined {
	return typeof iso === "string" ? Date.parse(iso) : iso;
}
