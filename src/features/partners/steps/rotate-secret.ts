// Replaces the Secret of an API client: the step that claiming, regenerating and rotating share.

import type { SecretBox } from "../../../crypto/secret-box.ts";
import type { ApiClient, ApiClientStore } from "../../../domain/api-client.ts";
import type { SealedSecrets } from "../../../domain/client-secret.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { issueSecret } from "./issue-secret.ts";

export interface ClientWithSecret {
	readonly client: ApiClient;
	/** To show once. */
	readonly secretPlain: string;
}

/**
 * Call inside a transaction. The replaced Secret stays valid for `overlapSeconds`, the one before it becomes invalid at
 * once, so at most two are valid. An unclaimed client becomes active; another status stays.
 *
 * @param locked from `findForUpdate` in the same transaction, so that concurrent calls run one after the other.
 */
export async function rotateSecret(
	apiClients: ApiClientStore,
	secretBox: SecretBox,
	locked: ApiClient & SealedSecrets,
	overlapSeconds: number,
	nowMs: number,
): Promise<ClientWithSecret> {
	const { id, tenantId, secretSealed: replaced } = locked;
	const { secretPlain, secretSealed, secretHint } = issueSecret(secretBox, id);
	const previousSecretExpiresAtMs = overlapSeconds === 0 ? null : nowMs + overlapSeconds * SECOND_MS;
	const shown = { secretHint, secretCreatedAtMs: nowMs, previousSecretExpiresAtMs };
	// Kept without an overlap too, so that a signature with the replaced Secret can be explained.
	const secret = { ...shown, secretSealed, previousSecretSealed: replaced };
	if (!(await apiClients.replaceSecret(tenantId, id, replaced, secret, nowMs)))
		throw new Error("the Secret of a locked API client was replaced");
	const status = locked.status === "unclaimed" ? "active" : locked.status;
	return { client: { ...locked, ...shown, status, updatedAtMs: nowMs }, secretPlain };
}
