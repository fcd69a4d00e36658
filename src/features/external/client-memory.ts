// What the signed guard has worked out before: opened Secrets, parsed allowlists. The client's row is read each time.

import { randomToken } from "../../crypto/random.ts";
import { type HmacKey, secretKey } from "../../crypto/request-signature.ts";
import { type Cidr, parseCidr } from "../../kernel/ip.ts";
import { RecentMap } from "../../kernel/recent-map.ts";
import { type Scope, secretContext } from "../api-clients/model.ts";

/** Keyed by what is stored, so that a changed row is never answered from memory. */
export interface ClientMemory {
	/** @throws Error when no master key opens it: a broken installation, not a bad request. */
	secretKey(clientId: string, secretSealed: string): HmacKey;
	/** Of JSON text as stored; every entry was checked when it was written. */
	allowlist(json: string): readonly Cidr[];
	scopes(json: string): readonly Scope[];
	/** A key no client has, for requests that name none: they cost the same. */
	readonly strangerKey: HmacKey;
}

const REMEMBERED_CLIENTS = 10_000;

export function createClientMemory(open: (sealed: string, context: string) => string): ClientMemory {
	const keys = new RecentMap<HmacKey>(2 * REMEMBERED_CLIENTS);
	const allowlists = new RecentMap<readonly Cidr[]>(REMEMBERED_CLIENTS);
	const scopeLists = new RecentMap<readonly Scope[]>(256);
	return {
		strangerKey: secretKey(randomToken()),
		secretKey: (clientId, sealed) =>
			remember(keys, `${clientId} ${sealed}`, () => secretKey(open(sealed, secretContext(clientId)))),
		allowlist: (json) => remember(allowlists, json, () => (JSON.parse(json) as string[]).map(storedCidr)),
		scopes: (json) => remember(scopeLists, json, () => JSON.parse(json) as Scope[]),
	};
}

function remember<V>(memory: RecentMap<V>, key: string, make: () => V): V {
	let value = memory.find(key);
	if (value === undefined) {
		value = make();
		memory.set(key, value);
	}
	return value;
}

function storedCidr(text: string): Cidr {
	const cidr = parseCidr(text);
	if ("error" in cidr) throw new Error(`stored allowlist entry ${text} ${cidr.error}`);
	return cidr;
}
