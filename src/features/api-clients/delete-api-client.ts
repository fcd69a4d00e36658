// Deletes an API client: what it signs is refused from now on.

import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type ApiClientStore, apiClientNotFound } from "./model.ts";

export interface DeleteApiClientDeps {
	readonly db: Persistence<{ apiClients: ApiClientStore; audit: AuditLog }>;
}

/** @throws AppError `api_client.not_found`. */
export async function deleteApiClient(
	{ db }: DeleteApiClientDeps,
	id: string,
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ apiClients, audit }) => {
		const before = await apiClients.findById(tenantId, id);
		const removed = await apiClients.remove(tenantId, id);
		if (before === undefined || !removed) throw apiClientNotFound();
		await audit.append({
			tenantId,
			actor,
			action: "api_client.deleted",
			target: `api_client:${id}`,
			origin,
			details: { app_id: before.appId, name: before.name, api_key: before.apiKey },
		});
	});
}
