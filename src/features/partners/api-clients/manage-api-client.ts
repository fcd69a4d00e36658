// Creates, reads, changes, and deletes API clients.

import { parseAllowlist } from "../../../domain/allowlist.ts";
import {
	type ApiClient,
	type ApiClientChanges,
	apiClientNotFound,
	checkExpiry,
	DEFAULT_SCOPES,
	getApiClient,
	NEW_CLIENT,
	requireLive,
	type Scope,
	sortScopes,
	unclaimed,
} from "../../../domain/api-client.ts";
import type { ApplicationStore } from "../../../domain/application.ts";
import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { changeDetails, differences, fieldChanges, type Patch } from "../../../kernel/changes.ts";
import { found, invalidField } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { type IssuedCredential, issueApiKey, issueSecret } from "../steps/issue-secret.ts";
import { type AddedKey, parsePublicKey, reviewedKey } from "./partner-keys.ts";

export type NewApiClient = Pick<
	ApiClient,
	"appId" | "name" | "ipAllowlist" | "ipAllowlistMode" | "expiresAtMs"
> & {
	/** `DEFAULT_SCOPES` if undefined; empty means none. */
	readonly scopes?: readonly Scope[] | undefined;
	/** Instead of a Secret. */
	readonly publicKey?: AddedKey["publicKey"] | undefined;
};

/** The fields that define what a client may do. The audit trail records their new values. */
const DECISIVE = ["status", "scopes", "ipAllowlist", "ipAllowlistMode", "expiresAtMs"] as const;

/** @throws AppError `request.invalid` (`app_id` is no application, `ip_allowlist`, `expires_at`, `public_key`). */
export async function createApiClient(
	{ db, secretBox, clock }: Needs<"apiClients" | "applications" | "audit", "secretBox" | "clock">,
	{ publicKey, ...fields }: NewApiClient,
	caller: Caller,
): Promise<IssuedCredential & { readonly client: ApiClient }> {
	const { tenantId, userId: createdBy } = caller;
	const now = clock();
	checkExpiry(fields.expiresAtMs, now);
	const id = newId(now);
	const key = publicKey && reviewedKey(parsePublicKey(publicKey), createdBy, now);
	const secret = key === undefined ? issueSecret(secretBox, id) : undefined;
	const client: ApiClient = {
		...NEW_CLIENT,
		...fields,
		id,
		tenantId,
		apiKey: issueApiKey(),
		secretHint: secret?.secretHint ?? "",
		status: "active",
		scopes: sortScopes(fields.scopes ?? DEFAULT_SCOPES),
		ipAllowlist: parseAllowlist(fields.ipAllowlist),
		secretCreatedAtMs: secret === undefined ? null : now,
		publicKeys: key === undefined ? [] : [key],
		createdBy,
		createdAtMs: now,
		updatedAtMs: now,
	};
	await db.transaction(async ({ apiClients, applications, audit }) => {
		await checkApplication(applications, tenantId, client.appId);
		const secretSealed = secret?.secretSealed ?? null;
		await apiClients.insert({ ...client, secretSealed, previousSecretSealed: null });
		await audit.append(caller, "api_client.created", named("api_client", id, client.name), {
			app_id: client.appId,
			name: client.name,
			scopes: client.scopes,
			ip_allowlist: client.ipAllowlist,
			ip_allowlist_mode: client.ipAllowlistMode,
			...(key && { key_id: key.id }),
		});
	});
	return { client, ...(secret && { secretPlain: secret.secretPlain }), ...(key && { keyId: key.id }) };
}

/**
 * Writes nothing if the patch changes nothing. Disabling an unclaimed client blocks its claim. Enabling it again makes
 * it `unclaimed`, because only the claim activates it.
 *
 * @throws AppError `request.invalid` (`ip_allowlist`, `expires_at`), `api_client.not_found`, `api_client.unclaimed`,
 * `api_client.test_mode` (`scopes`, `expires_at`).
 */
export async function updateApiClient(
	{ db, clock }: Needs<"apiClients" | "allowlistMisses" | "audit", "clock">,
	id: string,
	fields: Patch<ApiClientChanges>,
	caller: Caller,
): Promise<ApiClient> {
	const { tenantId } = caller;
	const now = clock();
	const patch = {
		...fields,
		scopes: fields.scopes && sortScopes(fields.scopes),
		ipAllowlist: fields.ipAllowlist && parseAllowlist(fields.ipAllowlist),
	};
	return db.transaction(async ({ apiClients, allowlistMisses, audit }) => {
		const before = await getApiClient(apiClients, tenantId, id);
		const changes = differences<ApiClientChanges>(before, patch);
		if (changes.scopes !== undefined || changes.expiresAtMs !== undefined)
			requireLive(before, "its scopes and its expiry are fixed");
		if (Object.keys(changes).length === 0) return before;
		if (changes.expiresAtMs !== undefined) checkExpiry(changes.expiresAtMs, now);
		const outcome = await apiClients.update(tenantId, id, changes, now);
		if (outcome === "missing") throw apiClientNotFound();
		if (outcome === "unclaimed") throw unclaimed("only the claim activates it");
		// Each period of report mode starts with an empty report.
		if (changes.ipAllowlistMode === "report") await allowlistMisses.clear(tenantId, id);
		const after = await getApiClient(apiClients, tenantId, id);
		const details = changeDetails(changes, DECISIVE, after);
		await audit.append(
			caller,
			"api_client.updated",
			named("api_client", id, before.name),
			details,
			fieldChanges(before, changes, [], after),
		);
		return after;
	});
}

/** @throws AppError `api_client.not_found`. */
export async function deleteApiClient({ db }: Needs<"apiClients" | "audit">, id: string, caller: Caller) {
	await db.transaction(async ({ apiClients, audit }) => {
		const { appId, name, apiKey } = await getApiClient(apiClients, caller.tenantId, id);
		if (!(await apiClients.remove(caller.tenantId, id))) throw apiClientNotFound();
		const details = { app_id: appId, name, api_key: apiKey };
		await audit.append(caller, "api_client.deleted", named("api_client", id, name), details);
	});
}

/** @throws AppError `request.invalid` if `appId` is no application of the tenant. */
export async function checkApplication(
	applications: ApplicationStore,
	tenantId: string,
	appId: string,
): Promise<void> {
	found(await applications.findById(tenantId, appId), () => invalidField("app_id", "not_an_application"));
}
