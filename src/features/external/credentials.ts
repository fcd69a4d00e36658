// Whether a request's key, tenant, application and signature are those of one client that may sign now.

import { type HmacKey, type SignedParts, verifySignature } from "../../crypto/request-signature.ts";
import { isUsable } from "../api-clients/model.ts";
import type { ClientMemory } from "./client-memory.ts";
import type { SigningClient } from "./model.ts";

/** Everything that has to hold, judged one by one; only an administrator is ever told which did not. */
export interface CredentialsVerdict {
	readonly isKnown: boolean;
	/** Active and not expired. */
	readonly isUsable: boolean;
	readonly isTenantRight: boolean;
	readonly isAppRight: boolean;
	/** The sealed Secret that made the signature; undefined when no live one did. */
	readonly secretSealed: string | undefined;
}

export interface LiveKey {
	readonly key: HmacKey;
	readonly secretSealed: string | undefined;
}

/** The same work whatever is wrong: every live Secret is tried, a key nobody has where there is none. */
export function judgeCredentials(
	memory: ClientMemory,
	client: SigningClient | undefined,
	parts: SignedParts,
	signature: string,
	nowMs: number,
): CredentialsVerdict {
	let secretSealed: string | undefined;
	for (const live of liveKeys(memory, client, nowMs)) {
		if (verifySignature(live.key, parts, signature)) secretSealed ??= live.secretSealed;
	}
	return {
		isKnown: client !== undefined,
		isUsable: client !== undefined && isUsable(client, nowMs),
		isTenantRight: client?.tenantId === parts.tenantId.toLowerCase(),
		isAppRight: client?.appId === parts.appId.toLowerCase(),
		secretSealed,
	};
}

/** The keys of the Secrets that count now, the current one first; a key nobody has where there is none. */
export function liveKeys(memory: ClientMemory, client: SigningClient | undefined, nowMs: number): LiveKey[] {
	if (client === undefined || client.secretSealed === null)
		return [{ key: memory.strangerKey, secretSealed: undefined }];
	const { id, secretSealed, previousSecretSealed, previousSecretExpiresAtMs } = client;
	const keys: LiveKey[] = [{ key: memory.secretKey(id, secretSealed), secretSealed }];
	if (
		previousSecretSealed !== null &&
		previousSecretExpiresAtMs !== null &&
		nowMs < previousSecretExpiresAtMs
	) {
		keys.push({ key: memory.secretKey(id, previousSecretSealed), secretSealed: previousSecretSealed });
	}
	return keys;
}
