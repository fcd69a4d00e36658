// Secrets of webhooks: how they are made, sealed, and which count.

import type { SecretBox } from "../../crypto/secret-box.ts";
import { randomWebhookSecret } from "../../crypto/webhook-signature.ts";
import { type DueWebhook, webhookContext } from "./model.ts";

const HINT_CHARACTERS = 4;

/** A new secret: the text to show once, and what is stored of it. */
export interface IssuedWebhookSecret {
	/** `whsec_` and 32 bytes in base64. */
	readonly secretPlain: string;
	/** Bound to the webhook's id. */
	readonly secretSealed: string;
	/** The last four characters. */
	readonly secretHint: string;
}

export function issueWebhookSecret(secretBox: SecretBox, webhookId: string): IssuedWebhookSecret {
	const secretPlain = randomWebhookSecret();
	return {
		secretPlain,
		secretSealed: secretBox.seal(secretPlain, webhookContext(webhookId)),
		secretHint: secretPlain.slice(-HINT_CHARACTERS),
	};
}

/** The sealed secrets a delivery is signed with now, the newest first: two during a rotation. */
export function signingSecrets(
	{
		secretSealed,
		previousSecretSealed,
		previousSecretExpiresAtMs,
	}: Pick<DueWebhook, "secretSealed" | "previousSecretSealed" | "previousSecretExpiresAtMs">,
	nowMs: number,
): string[] {
	const overlaps = previousSecretExpiresAtMs !== null && nowMs < previousSecretExpiresAtMs;
	return overlaps && previousSecretSealed !== null ? [secretSealed, previousSecretSealed] : [secretSealed];
}
