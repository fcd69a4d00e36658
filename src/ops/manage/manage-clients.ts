// Lists, creates, and rotates API clients, and lists their refused calls. Objects have the shape of the API.

import {
	API_CLIENT_STATUSES,
	API_KEY,
	type ApiClient,
	type ApiClientStatus,
} from "../../domain/api-client.ts";
import type { Application } from "../../domain/application.ts";
import { OVERLAP_SECONDS_MAX } from "../../domain/client-secret.ts";
import { toWireApiClient, toWireWithSecret } from "../../features/partners/api-clients/api-client-wire.ts";
import { createBody, NEW_CLIENT, toFields } from "../../features/partners/api-clients/endpoints.ts";
import { createApiClient } from "../../features/partners/api-clients/manage-api-client.ts";
import { toWireRefusal } from "../../features/partners/api-clients/refusal-endpoints.ts";
import { regenerateSecret } from "../../features/partners/api-clients/renew-secret.ts";
import { parseId } from "../../kernel/id.ts";
import { mapPage } from "../../kernel/page.ts";
import { StartError } from "../../kernel/start-error.ts";
import { inputOf } from "./check-input.ts";
import { findNamed, isSameName, type Operation, takeFirst } from "./operation.ts";

export { API_CLIENT_STATUSES as CLIENT_STATUSES };

/** As typed. */
export interface ClientOptions {
	readonly scope?: readonly string[];
	/** IP addresses and CIDRs. */
	readonly allow?: readonly string[];
	/** ISO 8601 with a zone. */
	readonly expires?: string;
}

/** The fields of the request body in the API. */
export function toBody({ scope, allow, expires }: ClientOptions) {
	return { scopes: scope, ip_allowlist: allow, expires_at: expires };
}

const checkNew = inputOf(createBody);

export async function listClients(
	operation: Operation,
	{ app, ...filters }: { readonly status?: ApiClientStatus; readonly q?: string; readonly app?: string },
	limit: number,
) {
	const { db, caller, clock } = operation;
	const appId = app === undefined ? undefined : await findApplicationId(operation, app);
	const query = { ...filters, tenantId: caller.tenantId, ...(appId && { appId }) };
	return takeFirst(
		async (page) =>
			mapPage(await db.stores.apiClients.list(query, page), (client) => toWireApiClient(client, clock())),
		limit,
	);
}

export async function showClient(operation: Operation, name: string) {
	return toWireApiClient(await findClient(operation, name), operation.clock());
}

/** Refused calls, newest first. */
export async function listRefusals(operation: Operation, name: string, limit: number) {
	const { db, caller } = operation;
	const { id } = await findClient(operation, name);
	return takeFirst(
		async (page) => mapPage(await db.stores.refusedCalls.list(caller.tenantId, id, page), toWireRefusal),
		limit,
	);
}

/** The result contains the Secret. @throws StartError for an invalid option; AppError as `createApiClient`. */
export async function createClient(
	operation: Operation,
	{ name, app, ...options }: ClientOptions & { readonly name: string; readonly app: string },
) {
	const body = checkNew({ ...toBody(options), name, app_id: await findApplicationId(operation, app) });
	const fields = { ...NEW_CLIENT, ...toFields(body) };
	const { client, secretPlain } = await createApiClient(operation, fields, operation.caller);
	return toWireWithSecret(client, secretPlain, operation.clock());
}

/** The result contains the new Secret. @throws StartError for an invalid `overlap`; AppError `api_client.unclaimed`. */
export async function rotateClient(operation: Operation, name: string, overlap: string) {
	const seconds = Number(overlap);
	if (!/^\d+$/.test(overlap) || seconds > OVERLAP_SECONDS_MAX)
		throw usage(`--overlap must be 0 to ${OVERLAP_SECONDS_MAX} seconds`);
	const { id } = await findClient(operation, name);
	const { client, secretPlain } = await regenerateSecret(operation, id, seconds, operation.caller);
	return toWireWithSecret(client, secretPlain, operation.clock());
}

/** By slug, name, or id. @throws StartError `not_found`, `refused` when the name is ambiguous. */
export async function findApplicationId(operation: Operation, name: string): Promise<string> {
	return (await findApplication(operation, name)).id;
}

/** By slug, name, or id. @throws StartError `not_found`, `refused` when the name is ambiguous. */
export async function findApplication(
	{ db, caller: { tenantId } }: Operation,
	name: string,
): Promise<Application> {
	const { applications } = db.stores;
	const id = parseId(name);
	const byId = id === undefined ? undefined : await applications.findById(tenantId, id);
	if (byId !== undefined) return byId;
	return findNamed(
		{ kind: "application", name },
		(page) => applications.list({ tenantId, q: name }, page),
		(application) => application.slug === name || isSameName(application.name, name),
		({ id, slug }) => `${id} ${slug}`,
	);
}

/** By name, API key, or id. */
export async function findClient({ db, caller: { tenantId } }: Operation, name: string): Promise<ApiClient> {
	const { apiClients } = db.stores;
	const id = parseId(name);
	const byId = id === undefined ? undefined : await apiClients.findById(tenantId, id);
	if (byId !== undefined) return byId;
	return findNamed(
		// A test client has the name of the client that the approval created.
		{ kind: "API client", name, preferred: ({ mode }) => mode === "live" },
		(page) => apiClients.list({ tenantId, q: name }, page),
		(client) => isSameName(client.name, name) || (API_KEY.test(name) && client.apiKey === name),
		({ id, apiKey, status }) => `${id} ${apiKey} ${status}`,
	);
}

function usage(message: string): StartError {
	return new StartError(message, { kind: "usage" });
}
