// Issues and rotates the secrets of webhooks.

import type { SecretBox } from "../../../crypto/secret-box.ts";
import { randomWebhookSecret } from "../../../crypto/webhook-signature.ts";
import type { Caller } from "../../../domain/caller.ts";
import { hintOf, overlapEndMs } from "../../../domain/client-secret.ts";
import { type Webhook, webhookContext, webhookNotFound } from "../../../domain/webhook.ts";
import { isoTimeOrNull } from "../../../kernel/clock.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { webhookTarget } from "./target-url.ts";

/** A new secret: the plain text to show once, and the stored fields. */
interface IssuedWebhookSecret {
	/** `whsec_` and 32 bytes in base64. */
	readonly secretPlain: string;
	/** Opens only with the webhook's id. */
	readonly secretSealed: string;
	/** The last four characters. */
	readonly secretHint: string;
}

export function issueWebhookSecret(secretBox: SecretBox, webhookId: string): IssuedWebhookSecret {
	const secretPlain = randomWebhookSecret();
	return {
		secretPlain,
		secretSealed: secretBox.seal(secretPlain, webhookContext(webhookId)),
		secretHint: hintOf(secretPlain),
	};
}

/**
 * Replaces the secret. The previous one also signs for `overlapSeconds`; an older one stops immediately. Concurrent
 * calls all succeed, and the secret of the last one remains.
 *
 * @throws AppError `webhook.not_found`.
 */
export async function rotateWebhookSecret(
	{ db, secretBox, clock }: Needs<"webhooks" | "audit", "secretBox" | "clock">,
	id: string,
	overlapSeconds: number,
	caller: Caller,
): Promise<{ readonly webhook: Webhook; readonly secretPlain: string }> {
	const now = clock();
	const { secretPlain, ...secret } = issueWebhookSecret(secretBox, id);
	const previousSecretExpiresAtMs = overlapEndMs(overlapSeconds, now);
	return db.transaction(async ({ webhooks, audit }) => {
		const rotated = { ...secret, secretCreatedAtMs: now, previousSecretExpiresAtMs };
		if (!(await webhooks.rotateSecret(caller.tenantId, id, rotated))) throw webhookNotFound();
		const webhook = found(await webhooks.findById(caller.tenantId, id), webhookNotFound);
		await audit.append(caller, "webhook.secret_rotated", webhookTarget(webhook), {
			previous_secret_expires_at: isoTimeOrNull(previousSecretExpiresAtMs),
		});
		return { webhook, secretPlain };
	});
}
