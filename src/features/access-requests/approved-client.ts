// What an approval brings into being: an API client without a Secret, and the application it is for.

import { invalidField } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import {
	type ApiClient,
	type ApiClientStore,
	DEFAULT_SCOPES,
	type Scope,
	sortScopes,
} from "../api-clients/model.ts";
import { type ApplicationStore, slugCandidates } from "../applications/model.ts";
import type { AuditEntry, AuditLog } from "../audit/model.ts";
import type { AccessRequest } from "./model.ts";

export interface ClientStores {
	readonly applications: ApplicationStore;
	readonly apiClients: ApiClientStore;
	readonly audit: AuditLog;
}

/** What the reviewer chose for the client. */
export interface ClientSettings {
	/** The application the client is for; a new one named after the project when undefined. */
	readonly appId: string | undefined;
	/** `DEFAULT_SCOPES` when undefined. */
	readonly scopes: readonly Scope[] | undefined;
	/** Canonical; empty means any address. */
	readonly ipAllowlist: readonly string[];
	readonly expiresAtMs: number | null;
}

/** Who approved, as the audit rows have it. */
export type Approver = Pick<AuditEntry, "tenantId" | "actor" | "origin">;

/**
 * Inside the transaction of the approval: writes the client, the application unless one was chosen, and their audit
 * rows.
 *
 * @param identity of the new client
 * @throws AppError `request.invalid` when `appId` names no application of the tenant.
 */
export async function addUnclaimedClient(
	stores: ClientStores,
	request: AccessRequest,
	settings: ClientSettings,
	identity: Pick<ApiClient, "id" | "apiKey">,
	approver: Approver,
): Promise<void> {
	const nowMs = request.updatedAtMs;
	const appId =
		settings.appId === undefined
			? await addApplication(stores, request, approver)
			: await existingApplication(stores.applications, request.tenantId, settings.appId);
	const scopes = sortScopes(settings.scopes ?? DEFAULT_SCOPES);
	const { ipAllowlist, expiresAtMs } = settings;
	await stores.apiClients.insert({
		...identity,
		tenantId: request.tenantId,
		appId,
		name: request.projectName,
		secretHint: "",
		status: "unclaimed",
		scopes,
		ipAllowlist,
		ipAllowlistMode: "enforce",
		expiresAtMs,
		lastUsedAtMs: null,
		lastUsedIp: "",
		secretCreatedAtMs: null,
		previousSecretExpiresAtMs: null,
		accessRequestId: request.id,
		createdBy: request.reviewedBy,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
		secretSealed: null,
		previousSecretSealed: null,
	});
	await stores.audit.append({
		...approver,
		action: "api_client.created",
		target: `api_client:${identity.id}`,
		details: {
			app_id: appId,
			name: request.projectName,
			scopes,
			ip_allowlist: ipAllowlist,
			access_request_id: request.id,
		},
	});
}

async function existingApplication(
	applications: ApplicationStore,
	tenantId: string,
	appId: string,
): Promise<string> {
	if ((await applications.findById(tenantId, appId)) === undefined) {
		throw invalidField("app_id", "names no application");
	}
	return appId;
}

/** A new application that nobody may use until it is assigned to them. */
async function addApplication(
	{ applications, audit }: ClientStores,
	request: AccessRequest,
	approver: Approver,
): Promise<string> {
	const nowMs = request.updatedAtMs;
	const id = newId(nowMs);
	const application = {
		id,
		tenantId: request.tenantId,
		name: request.projectName,
		description: "",
		homepageUrl: "",
		logoUrl: "",
		redirectUris: [],
		accessPolicy: "assigned",
		status: "active",
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	} as const;
	for (const slug of slugCandidates(request.projectName, id)) {
		if (!(await applications.insert({ ...application, slug }))) continue;
		await audit.append({
			...approver,
			action: "application.created",
			target: `application:${id}`,
			details: {
				name: application.name,
				slug,
				access_policy: application.accessPolicy,
				status: application.status,
				access_request_id: request.id,
			},
		});
		return id;
	}
	throw new Error("no slug was free for the application of an approved access request");
}
