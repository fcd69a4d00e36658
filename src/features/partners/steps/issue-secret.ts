// Issues the API keys and Secrets of API clients, and replaces Secrets.

import { randomToken } from "../../../crypto/random.ts";
import type { SecretBox } from "../../../crypto/secret-box.ts";
import { type ApiClient, type ApiClientStore, TEST_KEY_PREFIX } from "../../../domain/api-client.ts";
import { hintOf, overlapEndMs, type SealedSecrets, secretContext } from "../../../domain/client-secret.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";

const API_KEY_CHARACTERS = 24;

/** A new Secret: the plain text to show once, and the stored fields. */
interface IssuedSecret {
	/** `sk_` and 43 base64url characters, 256 bits. */
	readonly secretPlain: string;
	/** Opens only with the client's id. */
	readonly secretSealed: string;
	/** The last four characters. */
	readonly secretHint: string;
}

/** Returns `ak_` and 24 of `[A-Za-z0-9_-]`, 144 bits. The key identifies a client but does not authenticate it. */
export function issueApiKey(): string {
	const key = `${CREDENTIAL_PREFIX.apiKey}${randomToken().slice(0, API_KEY_CHARACTERS)}`;
	return key.startsWith(TEST_KEY_PREFIX) ? issueApiKey() : key;
}

/** The key of a test client: `ak_test_` and 24 of `[A-Za-z0-9_-]`. */
export function issueTestKey(): string {
	return `${TEST_KEY_PREFIX}${randomToken().slice(0, API_KEY_CHARACTERS)}`;
}

export function issueSecret(secretBox: SecretBox, clientId: string): IssuedSecret {
	const secretPlain = `${CREDENTIAL_PREFIX.apiSecret}${randomToken()}`;
	return {
		secretPlain,
		secretSealed: secretBox.seal(secretPlain, secretContext(clientId)),
		secretHint: hintOf(secretPlain),
	};
}

export interface ClientWithSecret {
	readonly client: ApiClient;
	/** To show once. */
	readonly secretPlain: string;
}

/** What a new client signs with: the Secret to show once, or the id of the key that was given. */
export interface IssuedCredential {
	readonly secretPlain?: string;
	readonly keyId?: string;
}

/**
 * Call inside a transaction. The replaced Secret stays valid for `overlapSeconds`; an earlier one becomes invalid
 * immediately, so at most two are valid. An unclaimed client becomes active; any other status stays.
 *
 * @param locked from `findForUpdate` in the same transaction, which serializes concurrent calls
 */
export async function rotateSecret(
	apiClients: ApiClientStore,
	secretBox: SecretBox,
	locked: ApiClient & SealedSecrets,
	overlapSeconds: number,
	nowMs: number,
): Promise<ClientWithSecret> {
	const { secretSealed: replaced, previousSecretSealed: _expired, ...client } = locked;
	const { secretPlain, secretSealed, secretHint } = issueSecret(secretBox, client.id);
	const previousSecretExpiresAtMs = overlapEndMs(overlapSeconds, nowMs);
	const shown = { secretHint, secretCreatedAtMs: nowMs, previousSecretExpiresAtMs };
	// Keep it even without an overlap: explain-signature recognizes signatures made with the replaced Secret.
	const secret = { ...shown, secretSealed, previousSecretSealed: replaced };
	if (!(await apiClients.replaceSecret(client.tenantId, client.id, replaced, secret, nowMs)))
		throw new Error("the Secret of a locked API client was replaced");
	const status = client.status === "unclaimed" ? "active" : client.status;
	return { client: { ...client, ...shown, status, updatedAtMs: nowMs }, secretPlain };
}
