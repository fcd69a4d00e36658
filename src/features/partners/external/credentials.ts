// Checks whether the key, tenant, application and signature of a request belong to one client that may sign now.

import { type HmacKey, type SignedParts, verifySignature } from "../../../crypto/request-signature.ts";
import { isUsable } from "../../../domain/api-client.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import type { RefusalReason } from "../../../kernel/error.ts";
import type { ClientMemory } from "./client-memory.ts";

/** The result of each check. Callers get one message for all failures; only administrators see which check failed. */
export interface CredentialChecks {
	readonly isKnown: boolean;
	/** Active and not expired, its application active. */
	readonly isUsable: boolean;
	readonly isTenantRight: boolean;
	readonly isAppRight: boolean;
	/** The sealed Secret that made the signature; undefined if no valid one did. */
	readonly secretSealed: string | undefined;
}

export interface LiveKey {
	readonly key: HmacKey;
	readonly secretSealed: string | undefined;
}

/** Does the same work for every failure: tries every valid Secret, or a decoy key if there is none. */
export function checkCredentials(
	memory: ClientMemory,
	client: SigningClient | undefined,
	parts: SignedParts,
	signature: string,
	nowMs: number,
): CredentialChecks {
	let secretSealed: string | undefined;
	for (const live of liveKeys(memory, client, nowMs)) {
		if (verifySignature(live.key, parts, signature)) secretSealed ??= live.secretSealed;
	}
	return {
		isKnown: client !== undefined,
		isUsable: client?.appStatus === "active" && isUsable(client, nowMs),
		isTenantRight: client?.tenantId === parts.tenantId.toLowerCase(),
		isAppRight: client?.appId === parts.appId.toLowerCase(),
		secretSealed,
	};
}

/** Whether all checks passed. */
export function areValid(
	checks: CredentialChecks,
): checks is CredentialChecks & { readonly secretSealed: string } {
	return checks.isUsable && checks.isTenantRight && checks.isAppRight && checks.secretSealed !== undefined;
}

/** The first failed check, for the log. */
export function refusalReason(client: SigningClient | undefined, checks: CredentialChecks): RefusalReason {
	if (client === undefined) return "client.unknown";
	if (!checks.isUsable) {
		if (client.appStatus !== "active") return "client.application_disabled";
		return client.status === "active" ? "client.expired" : `client.${client.status}`;
	}
	if (!checks.isTenantRight) return "client.other_tenant";
	return checks.isAppRight ? "signature.mismatch" : "client.other_application";
}

/** The keys of the valid Secrets, the current one first; a decoy key if there is none. */
export function liveKeys(memory: ClientMemory, client: SigningClient | undefined, nowMs: number): LiveKey[] {
	if (client === undefined || client.secretSealed === null)
		return [{ key: memory.decoyKey, secretSealed: undefined }];
	// Written out instead of mapping `liveSecrets`: every signed request runs it.
	const { id, secretSealed, previousSecretSealed, previousSecretExpiresAtMs: until } = client;
	const current = { key: memory.secretKey(id, secretSealed), secretSealed };
	if (previousSecretSealed === null || until === null || nowMs >= until) return [current];
	const key = memory.secretKey(id, previousSecretSealed);
	return [current, { key, secretSealed: previousSecretSealed }];
}
