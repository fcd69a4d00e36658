// Puts a new secret in the place of a webhook's; for a time deliveries are signed with both.

import type { SecretBox } from "../../crypto/secret-box.ts";
import { type Clock, isoTimeOrNull, SECOND_MS } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type Webhook, type WebhookStore, webhookNotFound } from "./model.ts";
import { issueWebhookSecret } from "./webhook-secret.ts";

export interface RotateSecretDeps {
	readonly db: Persistence<{ webhooks: WebhookStore; audit: AuditLog }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
}

/** Requests that may overtake one caller before it gives up; each of them succeeded. */
const ATTEMPTS = 100;

/**
 * The secret until now signs beside the new one for `overlapSeconds`; one that was previous already signs no more.
 * Callers at the same moment are served one after the other, and the last one's secret stays.
 *
 * @throws AppError `webhook.not_found`.
 */
export async function rotateSecret(
	{ db, secretBox, clock }: RotateSecretDeps,
	id: string,
	overlapSeconds: number,
	{ tenantId, actor, origin }: AdminContext,
): Promise<{ readonly webhook: Webhook; readonly secretPlain: string }> {
	const now = clock();
	const { secretPlain, secretSealed, secretHint } = issueWebhookSecret(secretBox, id);
	const previousSecretExpiresAtMs = overlapSeconds === 0 ? null : now + overlapSeconds * SECOND_MS;
	const fresh = { secretHint, secretCreatedAtMs: now, previousSecretExpiresAtMs };
	return db.transaction(async ({ webhooks, audit }) => {
		for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
			const before = await webhooks.findById(tenantId, id);
			if (before === undefined) throw webhookNotFound();
			const old = before.secretSealed;
			const sealed = { secretSealed, previousSecretSealed: overlapSeconds === 0 ? null : old };
			if (!(await webhooks.replaceSecret(tenantId, id, old, { ...fresh, ...sealed }, now))) continue;
			await audit.append({
				tenantId,
				actor,
				action: "webhook.secret_rotated",
				target: `webhook:${id}`,
				origin,
				details: { previous_secret_expires_at: isoTimeOrNull(previousSecretExpiresAtMs) },
			});
			return { webhook: { ...before, ...fresh, updatedAtMs: now }, secretPlain };
		}
		throw new Error("the secret was replaced by others each time");
	});
}
