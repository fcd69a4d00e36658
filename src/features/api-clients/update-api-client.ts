// Changes an API client: its name, what it may do, from where, until when, or whether at all.

import { differences, type Patch, wireNames } from "../../kernel/changes.ts";
import { type Clock, isoTimeOrNull } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	type AllowlistMissStore,
	type ApiClient,
	type ApiClientChanges,
	type ApiClientStore,
	apiClientNotFound,
	checkExpiry,
	parseAllowlist,
	sortScopes,
} from "./model.ts";

export interface UpdateApiClientDeps {
	readonly db: Persistence<{
		apiClients: ApiClientStore;
		allowlistMisses: AllowlistMissStore;
		audit: AuditLog;
	}>;
	readonly clock: Clock;
}

/**
 * A patch that changes nothing writes nothing. An unclaimed client may be disabled, which stops its claim, and be
 * enabled again, which makes it `unclaimed` again; only its claim makes it active.
 *
 * @throws AppError `request.invalid` (`ip_allowlist`, `expires_at`), `api_client.not_found`, `api_client.unclaimed`.
 */
export async function updateApiClient(
	{ db, clock }: UpdateApiClientDeps,
	id: string,
	patch: Patch<ApiClientChanges>,
	{ tenantId, actor, origin }: AdminContext,
): Promise<ApiClient> {
	const now = clock();
	const wanted = {
		...patch,
		scopes: patch.scopes && sortScopes(patch.scopes),
		ipAllowlist: patch.ipAllowlist && parseAllowlist(patch.ipAllowlist),
	};
	return db.transaction(async ({ apiClients, allowlistMisses, audit }) => {
		const before = await apiClients.findById(tenantId, id);
		if (before === undefined) throw apiClientNotFound();
		const changes = differences<ApiClientChanges>(before, wanted);
		if (Object.keys(changes).length === 0) return before;
		if (changes.expiresAtMs !== undefined) checkExpiry(changes.expiresAtMs, now);
		const outcome = await apiClients.update(tenantId, id, changes, now);
		if (outcome === "missing") throw apiClientNotFound();
		if (outcome === "unclaimed") throw unclaimed("only its claim makes it active");
		// A report is about one time of reporting: the next begins with nothing.
		if (changes.ipAllowlistMode === "report") await allowlistMisses.clear(tenantId, id);
		const after = await apiClients.findById(tenantId, id);
		if (after === undefined) throw apiClientNotFound();
		await audit.append({
			tenantId,
			actor,
			action: "api_client.updated",
			target: `api_client:${id}`,
			origin,
			details: { fields: wireNames(changes), ...telling(changes, after) },
		});
		return after;
	});
}

/** Those new values that decide what the client may do. */
function telling(changes: ApiClientChanges, after: ApiClient) {
	return {
		...(changes.status && { status: after.status }),
		...(changes.scopes && { scopes: after.scopes }),
		...(changes.ipAllowlist && { ip_allowlist: after.ipAllowlist }),
		...(changes.ipAllowlistMode && { ip_allowlist_mode: after.ipAllowlistMode }),
		...(changes.expiresAtMs !== undefined && { expires_at: isoTimeOrNull(after.expiresAtMs) }),
	};
}

export function unclaimed(why: string): AppError {
	return new AppError("api_client.unclaimed", `this API client was not claimed by its applicant yet: ${why}`);
}
