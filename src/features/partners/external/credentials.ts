// Checks whether the key, tenant, application and signature of a request belong to one client that may sign now. Caches
// opened Secrets and parsed lists; the row of the client is read each time.

import { randomToken } from "../../../crypto/random.ts";
import {
	type HmacKey,
	type SignedParts,
	secretKey,
	verifySignature,
} from "../../../crypto/request-signature.ts";
import type { SecretBox } from "../../../crypto/secret-box.ts";
import { isUsable, SCOPES, type Scope } from "../../../domain/api-client.ts";
import { secretContext } from "../../../domain/client-secret.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import type { RefusalReason } from "../../../kernel/error.ts";
import { type Cidr, validCidr } from "../../../kernel/ip.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";
import { isText, listOf, oneOf, parseJson } from "../../../kernel/shape.ts";

/** Keyed by the stored values, so a changed row is never served from the cache. */
export interface ClientMemory {
	/** @throws Error if no master key opens it: the installation is broken, not the request. */
	secretKey(clientId: string, secretSealed: string): HmacKey;
	/** @param json as stored; entries were validated before. */
	allowlist(json: string): readonly Cidr[];
	scopes(json: string): readonly Scope[];
	/** A key no client has: verified for unknown clients, so that they cost the same. */
	readonly decoyKey: HmacKey;
}

const isScope = oneOf(SCOPES);
const CACHED_CLIENTS = 10_000;

export function createClientMemory(secretBox: SecretBox): ClientMemory {
	const keys = new RecentMap<HmacKey>(2 * CACHED_CLIENTS);
	const allowlists = new RecentMap<readonly Cidr[]>(CACHED_CLIENTS);
	const scopeLists = new RecentMap<readonly Scope[]>(256);
	return {
		decoyKey: secretKey(randomToken()),
		secretKey: (clientId, sealed) =>
			cached(keys, `${clientId} ${sealed}`, () => secretKey(secretBox.open(sealed, secretContext(clientId)))),
		allowlist: (json) => cached(allowlists, json, () => parseJson(listOf(isText), json).map(validCidr)),
		scopes: (json) => cached(scopeLists, json, () => parseJson(listOf(isText), json).filter(isScope)),
	};
}

function cached<V>(cache: RecentMap<V>, key: string, compute: () => V): V {
	let value = cache.find(key);
	if (value === undefined) {
		value = compute();
		cache.set(key, value);
	}
	return value;
}

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
