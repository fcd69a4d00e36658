// An admin takes a provider away that nobody has an account of.

import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type IdentityProviderStore, identityProviderNotFound } from "./model.ts";
import { inUse } from "./update-provider.ts";

export interface DeleteProviderDeps {
	readonly db: Persistence<{ identityProviders: IdentityProviderStore; audit: AuditLog }>;
}

/**
 * Sign-ins under way go with it. Linked accounts would be left to whatever takes the slug next, so there must be none.
 *
 * @throws AppError `identity_provider.not_found`, `identity_provider.in_use`.
 */
export async function deleteProvider(
	{ db }: DeleteProviderDeps,
	id: string,
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ identityProviders, audit }) => {
		await identityProviders.hold(tenantId, id);
		const before = await identityProviders.findById(tenantId, id);
		if (before === undefined) throw identityProviderNotFound();
		if (await identityProviders.hasAccounts(tenantId, before.provider)) throw inUse("it cannot be deleted");
		await identityProviders.remove(tenantId, id);
		await audit.append({
			tenantId,
			actor,
			action: "identity_provider.deleted",
			target: `identity_provider:${id}`,
			origin,
			details: { provider: before.provider, kind: before.kind },
		});
	});
}
