// Changes an application.

import { differences, type Patch, wireNames } from "../../kernel/changes.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { slugTaken } from "./create-application.ts";
import {
	type AdminContext,
	type Application,
	type ApplicationChanges,
	type ApplicationStore,
	applicationNotFound,
} from "./model.ts";
import { parseRedirectUris } from "./redirect-uri.ts";

export interface UpdateApplicationDeps {
	readonly db: Persistence<{ applications: ApplicationStore; audit: AuditLog }>;
	readonly clock: Clock;
}

/**
 * A patch that changes nothing writes nothing.
 *
 * @throws AppError `request.invalid` (redirect addresses), `application.not_found`, `application.slug_taken`.
 */
export async function updateApplication(
	{ db, clock }: UpdateApplicationDeps,
	id: string,
	patch: Patch<ApplicationChanges>,
	{ tenantId, actor, origin }: AdminContext,
): Promise<Application> {
	const now = clock();
	if (patch.redirectUris !== undefined) parseRedirectUris(patch.redirectUris);
	return db.transaction(async ({ applications, audit }) => {
		const before = await applications.findById(tenantId, id);
		if (before === undefined) throw applicationNotFound();
		const changes = differences<ApplicationChanges>(before, patch);
		if (Object.keys(changes).length === 0) return before;
		const outcome = await applications.update(tenantId, id, changes, now);
		if (outcome === "missing") throw applicationNotFound();
		if (outcome === "slug_taken") throw slugTaken(changes.slug ?? before.slug);
		const { status, accessPolicy, redirectUris, requireMfa } = changes;
		await audit.append({
			tenantId,
			actor,
			action: "application.updated",
			target: `application:${id}`,
			origin,
			// Names of fields, and those values that decide who gets in and where people are sent.
			details: {
				fields: wireNames(changes),
				...(status && { status }),
				...(accessPolicy && { access_policy: accessPolicy }),
				...(redirectUris && { redirect_uris: redirectUris }),
				...(requireMfa !== undefined && { require_mfa: requireMfa }),
			},
		});
		return { ...before, ...changes, updatedAtMs: now };
	});
}
