// Makes an API client for an application; its Secret is shown by this answer and never again.

import type { SecretBox } from "../../crypto/secret-box.ts";
import type { Clock } from "../../kernel/clock.ts";
import { invalidField } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext, ApplicationStore } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { issueApiKey, issueSecret } from "./client-secrets.ts";
import {
	type AllowlistMode,
	type ApiClient,
	type ApiClientStore,
	checkExpiry,
	DEFAULT_SCOPES,
	parseAllowlist,
	type Scope,
	sortScopes,
} from "./model.ts";

export interface CreateApiClientDeps {
	readonly db: Persistence<{ apiClients: ApiClientStore; applications: ApplicationStore; audit: AuditLog }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
}

export interface NewApiClient {
	readonly appId: string;
	readonly name: string;
	/** `DEFAULT_SCOPES` when undefined; empty: none at all. */
	readonly scopes: readonly Scope[] | undefined;
	readonly ipAllowlist: readonly string[];
	readonly ipAllowlistMode: AllowlistMode;
	readonly expiresAtMs: number | null;
}

/** @throws AppError `request.invalid` (`app_id` of no application, `ip_allowlist`, `expires_at`). */
export async function createApiClient(
	{ db, secretBox, clock }: CreateApiClientDeps,
	wanted: NewApiClient,
	context: AdminContext,
): Promise<{ readonly client: ApiClient; readonly secretPlain: string }> {
	const { tenantId, actor, origin } = context;
	const now = clock();
	checkExpiry(wanted.expiresAtMs, now);
	const id = newId(now);
	const { secretPlain, secretSealed, secretHint } = issueSecret(secretBox, id);
	const client = newClient(id, secretHint, wanted, context, now);
	await db.transaction(async ({ apiClients, applications, audit }) => {
		if ((await applications.findById(tenantId, client.appId)) === undefined)
			throw invalidField("app_id", "names no application");
		await apiClients.insert({ ...client, secretSealed, previousSecretSealed: null });
		await audit.append({
			tenantId,
			actor,
			action: "api_client.created",
			target: `api_client:${id}`,
			origin,
			details: {
				app_id: client.appId,
				name: client.name,
				scopes: client.scopes,
				ip_allowlist: client.ipAllowlist,
				ip_allowlist_mode: client.ipAllowlistMode,
			},
		});
	});
	return { client, secretPlain };
}

function newClient(
	id: string,
	secretHint: string,
	wanted: NewApiClient,
	{ tenantId, actor }: AdminContext,
	nowMs: number,
): ApiClient {
	return {
		id,
		tenantId,
		appId: wanted.appId,
		name: wanted.name,
		apiKey: issueApiKey(),
		secretHint,
		status: "active",
		scopes: sortScopes(wanted.scopes ?? DEFAULT_SCOPES),
		ipAllowlist: parseAllowlist(wanted.ipAllowlist),
		ipAllowlistMode: wanted.ipAllowlistMode,
		expiresAtMs: wanted.expiresAtMs,
		lastUsedAtMs: null,
		lastUsedIp: "",
		secretCreatedAtMs: nowMs,
		previousSecretExpiresAtMs: null,
		accessRequestId: null,
		owner: null,
		createdBy: actor.startsWith("user:") ? actor.slice("user:".length) : null,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	};
}
