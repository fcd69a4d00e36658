// Creates the API client of an approved access request, without a Secret, and the application it belongs to.

import type { AccessRequest } from "../../../domain/access-request.ts";
import { type ApiClient, DEFAULT_SCOPES, NEW_CLIENT, sortScopes } from "../../../domain/api-client.ts";
import { slugCandidates } from "../../../domain/application.ts";
import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { giveGrant } from "../../../domain/give-grant.ts";
import type { Stores } from "../../../domain/stores.ts";
import { newId } from "../../../kernel/id.ts";
import { checkApplication, type NewApiClient } from "../api-clients/manage-api-client.ts";

/** The reviewer's settings. Without `appId`, the client gets a new application named after the project. */
export type ClientSettings = Pick<NewApiClient, "scopes" | "ipAllowlist" | "expiresAtMs"> &
	Partial<Pick<NewApiClient, "appId">> & {
		/** Names or ids of the application's roles; undefined: the client gets no grant. */
		readonly roles?: readonly string[] | undefined;
	};

/**
 * Call inside the transaction of the approval. Stores the client, a new application unless `settings` names one, the
 * grant of `settings.roles`, and their audit events.
 *
 * @param settings with the allowlist in canonical form

 * @throws AppError `request.invalid` if `appId` is no application of the tenant, or `roles.<index>` no role of it.
 */
export async function createApprovedClient(
	stores: Stores<"applications" | "applicationRoles" | "apiClients" | "grants" | "audit">,
	request: AccessRequest,
	settings: ClientSettings,
	identity: Pick<ApiClient, "id" | "apiKey">,
	caller: Caller,
): Promise<void> {
	const { tenantId, projectName: name, updatedAtMs: nowMs } = request;
	if (settings.appId !== undefined) await checkApplication(stores.applications, tenantId, settings.appId);
	const appId = settings.appId ?? (await createApplication(stores, request, caller));
	const scopes = sortScopes(settings.scopes ?? DEFAULT_SCOPES);
	const { ipAllowlist, expiresAtMs } = settings;
	await stores.apiClients.insert({
		...NEW_CLIENT,
		...identity,
		tenantId,
		appId,
		name,
		status: "unclaimed",
		scopes,
		ipAllowlist,
		expiresAtMs,
		accessRequestId: request.id,
		createdBy: request.reviewedBy,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
		secretSealed: null,
		previousSecretSealed: null,
	});
	const details = { app_id: appId, name, scopes, ip_allowlist: ipAllowlist, access_request_id: request.id };
	await stores.audit.append(caller, "api_client.created", named("api_client", identity.id, name), details);
	if (settings.roles !== undefined)
		await grantRoles(stores, appId, { id: identity.id, name }, settings.roles, request, caller);
}

async function grantRoles(
	stores: Stores<"applications" | "applicationRoles" | "grants" | "audit">,
	appId: string,
	{ id, name }: Pick<ApiClient, "id" | "name">,
	roles: readonly string[],
	{ id: requestId, updatedAtMs: nowMs }: AccessRequest,
	caller: Caller,
): Promise<void> {
	const application = await stores.applications.findById(caller.tenantId, appId);
	if (application === undefined) throw new Error("the application of a new API client vanished");
	const subject = { kind: "api_client", id } as const;
	await giveGrant(
		stores,
		{ application, subject, target: named("api_client", id, name), roles, terms: { requestId } },
		caller,
		nowMs,
	);
}

/** Creates an application without grants, so that no user may use it. @returns its id. */
async function createApplication(
	{ applications, audit }: Stores<"applications" | "audit">,
	{ id: requestId, tenantId, projectName: name, updatedAtMs: nowMs }: AccessRequest,
	caller: Caller,
): Promise<string> {
	const id = newId(nowMs);
	const policy = { accessPolicy: "assigned", status: "active" } as const;
	const texts = { name, description: "", homepageUrl: "", logoUrl: "" };
	const application = { id, tenantId, ...texts, redirectUris: [], ...policy, accessRequestId: requestId };
	for (const slug of slugCandidates(name, id)) {
		const row = { ...application, slug, createdAtMs: nowMs, updatedAtMs: nowMs };
		if (!(await applications.insert(row))) continue;
		await audit.append(caller, "application.created", named("application", id, name), {
			name,
			slug,
			access_policy: policy.accessPolicy,
			status: policy.status,
			access_request_id: requestId,
		});
		return id;
	}
	throw new Error("no free slug for the application of an approved access request");
}
