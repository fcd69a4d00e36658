// Public keys of issuers that vouch for workloads: cached, and read again at most once a minute.

import { type IdentityProvider, ISSUER_KEYS_MAX } from "../../domain/identity-provider.ts";
import type { ClientJwks } from "../../domain/oauth-client.ts";
import { ProviderFailure } from "../../domain/provider-gateway.ts";
import { MINUTE_MS } from "../../kernel/clock.ts";
import { RecentMap } from "../../kernel/recent-map.ts";
import { isMembers } from "../../kernel/shape.ts";
import { OutboundError, type ResolveHost } from "../outbound.ts";
import { readPublished } from "../read-published.ts";
import { createHostResolver } from "../resolve-host.ts";
import { usableKeys } from "./client-keys.ts";
import type { FindIssuerKey, ProviderParts } from "./parts.ts";

const FRESH_MS = 10 * MINUTE_MS;
/** Between two reads, for all tokens, also after a read that failed. */
const PAUSE_MS = MINUTE_MS;
/** How long keys are used while their issuer fails. */
const KEPT_MS = 60 * MINUTE_MS;
const REMEMBERED_MAX = 1_000;

type Jwk = ClientJwks["keys"][number];
type Issuer = Pick<IdentityProvider, "id" | "issuer" | "jwksUri" | "jwks">;

interface Remembered {
	/** Another issuer or URL has other keys. */
	readonly source: string;
	keys: readonly Jwk[];
	readAtMs: number;
	requestedAtMs: number;
	/** Never rejects. Simultaneous requests wait for the same read. */
	flight: Promise<void> | undefined;
}

export function createIssuerKeys(
	parts: Pick<ProviderParts, "clock" | "log" | "isCallable" | "readKey">,
	resolve: ResolveHost = createHostResolver(),
): FindIssuerKey {
	const { clock, log } = parts;
	const remembered = new RecentMap<Remembered>(REMEMBERED_MAX);

	async function refresh(issuer: Issuer, entry: Remembered): Promise<void> {
		try {
			entry.keys = await readKeys(issuer, parts, resolve);
			entry.readAtMs = clock();
		} catch (error) {
			const reason = isFailure(error) ? error.message : String(error);
			log.warn({ provider_id: issuer.id, error: reason }, "the keys of an issuer cannot be read");
			if (clock() - entry.readAtMs >= KEPT_MS) entry.keys = [];
		}
	}

	return async (issuer, kid) => {
		const { jwks } = issuer;
		if (jwks !== null) return pick(jwks.keys, kid);
		const entry = entryOf(remembered, issuer);
		const now = clock();
		const isFresh = Math.abs(now - entry.readAtMs) < FRESH_MS;
		const known = pick(entry.keys, kid);
		if (isFresh && known !== undefined) return known;
		if (entry.flight === undefined && Math.abs(now - entry.requestedAtMs) >= PAUSE_MS) {
			entry.requestedAtMs = now;
			entry.flight = refresh(issuer, entry).finally(() => {
				entry.flight = undefined;
			});
		}
		await entry.flight;
		return pick(entry.keys, kid);
	};
}

/**
 * Reads the keys of an issuer now, for an administrator who tests it. Pasted keys were checked when they were stored.
 *
 * @throws ProviderFailure if they cannot be read, or none is usable.
 */
export async function checkIssuerKeys(
	issuer: Issuer,
	parts: KeyReader,
	resolve: ResolveHost = createHostResolver(),
): Promise<void> {
	if (issuer.jwks !== null) return;
	try {
		const keys = await readKeys(issuer, parts, resolve);
		if (keys.length === 0) throw misconfigured("the key set has no usable public key");
	} catch (error) {
		if (!(error instanceof OutboundError)) throw error;
		const reason = error.reason === "forbidden" ? "misconfigured" : "unreachable";
		throw new ProviderFailure(reason, error.message, { cause: error });
	}
}

type KeyReader = Pick<ProviderParts, "isCallable" | "readKey">;

/** @throws OutboundError, ProviderFailure */
async function readKeys(
	{ issuer, jwksUri }: Issuer,
	{ isCallable, readKey }: KeyReader,
	resolve: ResolveHost,
): Promise<readonly Jwk[]> {
	const read = async (url: string): Promise<Readonly<Record<string, unknown>>> =>
		membersIn(await readPublished(new URL(url), { resolve, isAllowed: isCallable }));
	const { keys } = await read(jwksUri ?? (await discover(issuer ?? "", read)));
	if (!Array.isArray(keys)) throw misconfigured("jwks_uri returned no key set");
	return usableKeys(keys.slice(0, ISSUER_KEYS_MAX), readKey);
}

function misconfigured(message: string, options?: ErrorOptions): ProviderFailure {
	return new ProviderFailure("misconfigured", message, options);
}

function isFailure(error: unknown): error is Error {
	return error instanceof OutboundError || error instanceof ProviderFailure;
}

function entryOf(remembered: RecentMap<Remembered>, { id, issuer, jwksUri }: Issuer): Remembered {
	const source = jwksUri ?? issuer ?? "";
	const found = remembered.find(id);
	if (found?.source === source) return found;
	const entry: Remembered = {
		source,
		keys: [],
		readAtMs: Number.NEGATIVE_INFINITY,
		requestedAtMs: Number.NEGATIVE_INFINITY,
		flight: undefined,
	};
	remembered.set(id, entry);
	return entry;
}

/** OpenID Connect Discovery 1.0, section 4: the document must name the issuer, so that it cannot speak for another one. */
async function discover(
	issuer: string,
	read: (url: string) => Promise<Readonly<Record<string, unknown>>>,
): Promise<string> {
	const document = await read(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
	if (document.issuer !== issuer) throw misconfigured("the discovery document names another issuer");
	const url = typeof document.jwks_uri === "string" ? URL.parse(document.jwks_uri) : null;
	if (url?.protocol !== "https:") throw misconfigured("the discovery document names no https jwks_uri");
	return url.href;
}

function membersIn(text: string): Readonly<Record<string, unknown>> {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (cause) {
		throw misconfigured("the issuer returned something other than JSON", { cause });
	}
	if (!isMembers(value)) throw misconfigured("the issuer returned no JSON object");
	return value;
}

/** A token without `kid` can mean only a single key. */
function pick(keys: readonly Jwk[], kid: string | undefined): Jwk | undefined {
	if (kid === undefined) return keys.length === 1 ? keys[0] : undefined;
	return keys.find((key) => key.kid === kid);
}
