// Public keys that clients publish at a URL (`jwks_uri`): read within limits, at most once a minute.

import { CLIENT_JWKS_MAX, type ClientJwks } from "../../domain/oauth-client.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { RecentMap } from "../../kernel/recent-map.ts";
import { isMembers } from "../../kernel/shape.ts";
import { OutboundError, type ResolveHost } from "../outbound.ts";
import { readPublished } from "../read-published.ts";
import { createHostResolver } from "../resolve-host.ts";
import type { ProviderParts } from "./parts.ts";

/** Applies to failures too, so unauthenticated callers cannot cause more requests. */
const FRESH_MS = 60 * SECOND_MS;
/** How long keys are used while their URL fails. */
const KEPT_MS = 3_600 * SECOND_MS;
const REMEMBERED_MAX = 1_000;

interface ReadKeys extends ClientJwks {
	readonly readAtMs: number;
}

interface Remembered {
	readonly uri: string;
	readonly requestedAtMs: number;
	/** Never rejects. */
	readonly read: Promise<ReadKeys>;
}

const NO_KEYS: ReadKeys = { keys: [], readAtMs: Number.NEGATIVE_INFINITY };

/** @returns a function that returns no keys if they cannot be read, and logs the reason. */
export function createClientKeys(
	{ clock, log, isCallable, readKey }: ProviderParts,
	resolve: ResolveHost = createHostResolver(),
): (clientId: string, uri: string) => Promise<ClientJwks> {
	const remembered = new RecentMap<Remembered>(REMEMBERED_MAX);

	async function read(clientId: string, uri: string, previous: Promise<ReadKeys>): Promise<ReadKeys> {
		try {
			const keys = keysOf(await readPublished(new URL(uri), { resolve, isAllowed: isCallable }), readKey);
			return { keys, readAtMs: clock() };
		} catch (error) {
			log.warn({ client_id: clientId, error: reasonOf(error) }, "the keys of an OAuth client cannot be read");
			const kept = await previous;
			return clock() - kept.readAtMs < KEPT_MS ? kept : NO_KEYS;
		}
	}

	return async (clientId, uri) => {
		const now = clock();
		const found = remembered.find(clientId);
		const last = found?.uri === uri ? found : undefined;
		if (last !== undefined && Math.abs(now - last.requestedAtMs) < FRESH_MS)
			return { keys: (await last.read).keys };
		const next: Remembered = {
			uri,
			requestedAtMs: now,
			read: read(clientId, uri, last?.read ?? Promise.resolve(NO_KEYS)),
		};
		remembered.set(clientId, next);
		return { keys: (await next.read).keys };
	};
}

/** Returns the first accepted keys and skips unsupported ones. @throws OutboundError if it is not a key set. */
function keysOf(text: string, readKey: ProviderParts["readKey"]): ClientJwks["keys"] {
	let set: unknown;
	try {
		set = JSON.parse(text);
	} catch (cause) {
		throw new OutboundError("failed", "returned something other than JSON", { cause });
	}
	if (!isMembers(set) || !Array.isArray(set.keys)) throw new OutboundError("failed", "returned no key set");
	return usableKeys(set.keys, readKey).slice(0, CLIENT_JWKS_MAX);
}

/** Skips unsupported keys. */
export function usableKeys(keys: readonly unknown[], readKey: ProviderParts["readKey"]): ClientJwks["keys"] {
	return keys.flatMap((jwk) => {
		const read = isMembers(jwk) ? readKey(jwk) : undefined;
		return read === undefined || "problem" in read ? [] : [read.key];
	});
}

function reasonOf(error: unknown): string {
	return error instanceof OutboundError ? error.message : String(error);
}
