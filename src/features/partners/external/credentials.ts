// Checks whether the key, tenant, application, and signature of a request belong to one client that may sign now. Caches
// opened Secrets, imported keys, and parsed lists, but reads the client's row for every request.

import { ed25519Decoy, ed25519PublicKey } from "../../../crypto/client-jwks.ts";
import { randomToken } from "../../../crypto/random.ts";
import {
	type HmacKey,
	type SignedParts,
	schemeOf,
	secretKey,
	stringToSign,
	verifyEd25519,
	verifySignature,
} from "../../../crypto/request-signature.ts";
import type { SecretBox } from "../../../crypto/secret-box.ts";
import { isUsable, SCOPES, type Scope } from "../../../domain/api-client.ts";
import { secretContext } from "../../../domain/client-secret.ts";
import { isPartnerKey, PARTNER_KEYS_MAX } from "../../../domain/partner-key.ts";
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
	/** The keys that sign now. @param json as stored, with valid entries */
	publicKeys(json: string): readonly PublicKey[];
	/** A key of no client: verifying it makes an unknown client cost the same. */
	readonly decoyKey: HmacKey;
	/** As many as a client can have, and for the same reason. No one has their private keys. */
	readonly decoyPublicKeys: readonly PublicKey[];
}

interface PublicKey {
	readonly key: ReturnType<typeof ed25519PublicKey>;
	readonly id: string | undefined;
}

const isScope = oneOf(SCOPES);
const areKeys = listOf(isPartnerKey);
const CACHED_CLIENTS = 10_000;

export function createClientCache(secretBox: SecretBox): ClientCache {
	const keys = new RecentMap<HmacKey>(2 * CACHED_CLIENTS);
	const allowlists = new RecentMap<readonly Cidr[]>(CACHED_CLIENTS);
	const scopeLists = new RecentMap<readonly Scope[]>(256);
	const keyLists = new RecentMap<readonly PublicKey[]>(CACHED_CLIENTS);
	return {
		publicKeys: (json) =>
			cached(keyLists, json, () => {
				const live = parseJson(areKeys, json).filter(({ isHeld }) => !isHeld);
				return live.map(({ id, x }) => ({ id, key: ed25519PublicKey(x) }));
			}),
		decoyPublicKeys: Array.from({ length: PARTNER_KEYS_MAX }, () => ({
			key: ed25519Decoy(),
			id: undefined,
		})),
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
	/** The sealed Secret that created the signature, or the id of the key; undefined if no valid one did. */
	readonly signedWith: string | undefined;
}

interface LiveKey {
	readonly key: HmacKey;
	readonly secretSealed: string | undefined;
}

/**
 * Does the same work for every failure: of the kind of key that the signature's length shows, tries all valid ones, and
 * decoys for those that are missing.
 */
export function checkCredentials(
	cache: ClientCache,
	client: SigningClient | undefined,
	parts: SignedParts,
	signature: string,
	nowMs: number,
): CredentialChecks {
	const others = {
		isUsable: client?.appStatus === "active" && isUsable(client, nowMs),
		tenantMatches: client?.tenantId === parts.tenantId.toLowerCase(),
		appMatches: client?.appId === parts.appId.toLowerCase(),
	};
	if (schemeOf(signature) === "V1-ED25519")
		return { ...others, signedWith: findPublicKey(cache, client, parts, signature, others) };
	let signedWith: string | undefined;
	for (const live of liveKeys(cache, client, nowMs)) {
		if (verifySignature(live.key, parts, signature)) signedWith ??= live.secretSealed;
	}
	return { ...others, signedWith };
}

/** Returns the id of the key that created the signature. Stops there if the request passes, since that is no secret. */
function findPublicKey(
	cache: ClientCache,
	client: SigningClient | undefined,
	parts: SignedParts,
	signature: string,
	others: Omit<CredentialChecks, "signedWith">,
): string | undefined {
	const text = stringToSign(parts, "V1-ED25519");
	const live = client === undefined ? [] : cache.publicKeys(client.publicKeys);
	let signedWith: string | undefined;
	for (const [index, decoy] of cache.decoyPublicKeys.entries()) {
		const { key, id } = live[index] ?? decoy;
		if (verifyEd25519(key, text, signature)) signedWith ??= id;
		if (areValid({ ...others, signedWith })) break;
	}
	return signedWith;
}

export function areValid(
	checks: CredentialChecks,
): checks is CredentialChecks & { readonly signedWith: string } {
	return checks.isUsable && checks.tenantMatches && checks.appMatches && checks.signedWith !== undefined;
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
	const decoy = { key: cache.decoyKey, secretSealed: undefined };
	if (client === undefined) return [decoy];
	// Faster than mapping `liveSecrets`, and every signed request runs it.
	const { id, secretSealed, previousSecretSealed, previousSecretExpiresAtMs: until } = client;
	const current = secretSealed === null ? decoy : { key: cache.secretKey(id, secretSealed), secretSealed };
	if (previousSecretSealed === null || until === null || nowMs >= until) return [current];
	const key = cache.secretKey(id, previousSecretSealed);
	return [current, { key, secretSealed: previousSecretSealed }];
}
