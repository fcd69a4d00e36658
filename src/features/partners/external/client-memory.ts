// Caches what the signed guard computes per client: opened Secrets and parsed lists. The client's row is read each time.

import { randomToken } from "../../../crypto/random.ts";
import { type HmacKey, secretKey } from "../../../crypto/request-signature.ts";
import type { SecretBox } from "../../../crypto/secret-box.ts";
import type { Scope } from "../../../domain/api-client.ts";
import { secretContext } from "../../../domain/client-secret.ts";
import { type Cidr, parseCidr } from "../../../kernel/ip.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";

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

const CACHED_CLIENTS = 10_000;

export function createClientMemory(secretBox: SecretBox): ClientMemory {
	const keys = new RecentMap<HmacKey>(2 * CACHED_CLIENTS);
	const allowlists = new RecentMap<readonly Cidr[]>(CACHED_CLIENTS);
	const scopeLists = new RecentMap<readonly Scope[]>(256);
	return {
		decoyKey: secretKey(randomToken()),
		secretKey: (clientId, sealed) =>
			cached(keys, `${clientId} ${sealed}`, () => secretKey(secretBox.open(sealed, secretContext(clientId)))),
		allowlist: (json) => cached(allowlists, json, () => (JSON.parse(json) as string[]).map(storedCidr)),
		scopes: (json) => cached(scopeLists, json, () => JSON.parse(json) as Scope[]),
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

function storedCidr(text: string): Cidr {
	const cidr = parseCidr(text);
	if ("error" in cidr) throw new Error(`stored allowlist entry ${text} ${cidr.error}`);
	return cidr;
}
