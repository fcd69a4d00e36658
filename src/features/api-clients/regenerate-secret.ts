// Puts a new Secret in the place of an API client's Secret, with or without a time in which both count.

import type { SecretBox } from "../../crypto/secret-box.ts";
import { type Clock, isoTimeOrNull, SECOND_MS } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { issueSecret } from "./client-secrets.ts";
import { type ApiClient, type ApiClientStore, apiClientNotFound } from "./model.ts";
import { unclaimed } from "./update-api-client.ts";

export interface RegenerateSecretDeps {
	readonly db: Persistence<{ apiClients: ApiClientStore; audit: AuditLog }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
}

/** Requests that may overtake one caller before it gives up; each of them succeeded. */
const ATTEMPTS = 100;

/**
 * The old Secret dies at once, or `overlapSeconds` from now; whichever was previous until now dies at once, so that
 * at most two ever count. Callers at the same moment are served one after the other: each gets a Secret that was the
 * newest when it was made, and the last one's stays. A disabled client stays disabled.
 *
 * @throws AppError `api_client.not_found`, `api_client.unclaimed`.
 */
export async function regenerateSecret(
	{ db, secretBox, clock }: RegenerateSecretDeps,
	id: string,
	overlapSeconds: number,
	{ tenantId, actor, origin }: AdminContext,
): Promise<{ readonly client: ApiClient; readonly secretPlain: string }> {
	const now = clock();
	const { secretPlain, secretSealed, secretHint } = issueSecret(secretBox, id);
	const previousSecretExpiresAtMs = overlapSeconds === 0 ? null : now + overlapSeconds * SECOND_MS;
	const fresh = { secretHint, secretCreatedAtMs: now, previousSecretExpiresAtMs };
	return db.transaction(async ({ apiClients, audit }) => {
		for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
			const before = await apiClients.findById(tenantId, id);
			if (before === undefined) throw apiClientNotFound();
			const old = before.secretSealed;
			if (old === null) throw unclaimed("it has no Secret to replace");
			const sealed = { secretSealed, previousSecretSealed: overlapSeconds === 0 ? null : old };
			if (!(await apiClients.replaceSecret(tenantId, id, old, { ...fresh, ...sealed }, now))) continue;
			await audit.append({
				tenantId,
				actor,
				action: "api_client.secret_regenerated",
				target: `api_client:${id}`,
				origin,
				details: { previous_secret_expires_at: isoTimeOrNull(previousSecretExpiresAtMs) },
			});
			return { client: { ...before, ...fresh, updatedAtMs: now }, secretPlain };
		}
		throw new Error("the Secret was replaced by others each time");
	});
}
