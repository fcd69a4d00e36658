// Checks whether the key, tenant, application, and signature of a request belong to one client that may sign now. Caches
// opened Secrets and parsed lists, but reads the client's row for every request.

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

/** Keyed by the stored values, so a changed row always misses the cache. */
export interface ClientCache {
	/** @throws Error if no master key opens it: the fault is the installation's, not the request's. */
	secretKey(clientId: string, secretSealed: string): HmacKey;
	/** @param json as stored, with valid entries */
	allowlist(json: string): readonly Cidr[];
	scopes(json: string): readonly Scope[];
	/** A key of no client: verifying it makes an unknown client cost the same. */
	readonly decoyKey: HmacKey;
}

const isScope = oneOf(SCOPES);
const CACHED_CLIENTS = 10_000;

export function createClientCache(secretBox: SecretBox): ClientCache {
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

/** The result of each check. Callers get the same message for every failure; only administrators see which it was. */
export interface CredentialChecks {
	/** The client is active and has not expired, and its application is active. */
	readonly isUsable: boolean;
	readonly tenantMatches: boolean;
	readonly appMatches: boolean;
	/** The sealed Secret that created the signature; undefined if no valid one did. */
	readonly secretSealed: string | undefined;
}

interface LiveKey {
	readonly key: HmacKey;
	readonly secretSealed: string | undefined;
}

/** Does the same work for every failure: tries all valid Secrets, or a decoy key if there are none. */
export function checkCredentials(
	cache: ClientCache,
	client: SigningClient | undefined,
	parts: SignedParts,
	signature: string,
	nowMs: number,
): CredentialChecks {
	let secretSealed: string | undefined;
	for (const live of liveKeys(cache, client, nowMs)) {
		if (verifySignature(live.key, parts, signature)) secretSealed ??= live.secretSealed;
	}
	return {
		isUsable: client?.appStatus === "active" && isUsable(client, nowMs),
		tenantMatches: client?.tenantId === parts.tenantId.toLowerCase(),
		appMatches: client?.appId === parts.appId.toLowerCase(),
		secretSealed,
	};
}

export function areValid(
	checks: CredentialChecks,
): checks is CredentialChecks & { readonly secretSealed: string } {
	return checks.isUsable && checks.tenantMatches && checks.appMatches && checks.secretSealed !== undefined;
}

/** The first failed check, for the log. */
export function refusalReason(client: SigningClient | undefined, checks: CredentialChecks): RefusalReason {
	if (client === undefined) return "client.unknown";
	if (!checks.isUsable) {
		if (client.appStatus !== "active") return "client.application_disabled";
		return client.status === "active" ? "client.expired" : `client.${client.status}`;
	}
	if (!checks.tenantMatches) return "client.other_tenant";
	return checks.appMatches ? "signature.mismatch" : "client.other_application";
}

/** The keys of the valid Secrets, current first, or a decoy key if there are none. */
export function liveKeys(cache: ClientCache, client: SigningClient | undefined, nowMs: number): LiveKey[] {
	if (client === undefined || client.secretSealed === null)
		return [{ key: cache.decoyKey, secretSealed: undefined }];
	// Faster than mapping `liveSecrets`, and every signed request runs it.
	const { id, secretSealed, previousSecretSealed, previousSecretExpiresAtMs: until } = client;
	const current = { key: cache.secretKey(id, secretSealed), secretSealed };
	if (previousSecretSealed === null || until === null || nowMs >= until) return [current];
	const key = cache.secretKey(id, previousSecretSealed);
	return [current, { key, secretSealed: previousSecretSealed }];
}
