// The signature of a webhook delivery, according to Standard Webhooks.

import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { CREDENTIAL_PREFIX } from "../kernel/credential-prefix.ts";

const PREFIX = CREDENTIAL_PREFIX.webhookSecret;
const SECRET_BYTES = 32;

/** A new secret: `whsec_` and 32 random bytes in base64, 44 characters. */
export function randomWebhookSecret(): string {
	return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** The key of a secret: the bytes that its base64 encodes, not its text. @throws RangeError for another format. */
export function webhookKey(secretPlain: string): KeyObject {
	if (!secretPlain.startsWith(PREFIX)) throw new RangeError("a webhook secret begins with whsec_");
	return createSecretKey(Buffer.from(secretPlain.slice(PREFIX.length), "base64"));
}

/**
 * The value of `webhook-signature`: one `v1,<base64>` per key, separated by spaces, in the order of `keys`. Signs
 * `id.timestamp.body` with HMAC-SHA256 (Standard Webhooks 1.0.0, "Signature scheme"), so neither `id` nor `timestamp`
 * may contain a full stop.
 */
export function webhookSignature(
	keys: readonly KeyObject[],
	{
		id,
		timestampSeconds,
		body,
	}: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
): string {
	return keys
		.map((key) => createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`).digest("base64"))
		.map((signature) => `v1,${signature}`)
		.join(" ");
}
