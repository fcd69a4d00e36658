// Reads, validates, and caches an issuer's discovery document, and configures the library with it.

import {
	type ClientAuth,
	ClientSecretBasic,
	ClientSecretPost,
	type Configuration,
	type CustomFetch,
	clockSkew,
	customFetch,
	discovery,
	type ExportedJWKSCache,
	enableNonRepudiationChecks,
	getJwksCache,
	None,
	setJwksCache,
} from "openid-client";
import { type ProviderConnection, ProviderFailure } from "../../domain/provider-gateway.ts";
import { type Clock, MINUTE_MS, SECOND_MS } from "../../kernel/clock.ts";
import { RecentMap } from "../../kernel/recent-map.ts";
import { isMembers, type Members } from "../../kernel/shape.ts";
import type { ProviderCalls } from "./bounded-fetch.ts";
import { discoveryFailure } from "./failure.ts";
import type { OpenIdDescription } from "./provider-client.ts";

const KEPT_MS = 5 * MINUTE_MS;
/** The limit of cached issuers, each with at most two responses of 256 KiB. */
const ISSUERS_MAX = 64;
const JSON_HEADERS = { "content-type": "application/json" };
/** The URLs of a discovery document without which no user can sign in. */
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;
type Endpoint = (typeof ENDPOINTS)[number] | "userinfo_endpoint";

interface Known {
	readonly document: string;
	readonly readAtMs: number;
	/** Cached for 5 minutes by the library, and reloaded for an unknown `kid` at most once per minute. */
	jwks: ExportedJWKSCache | undefined;
}

/** The configuration for one sign-in. */
export interface Discovered {
	/** Verifies every signature, and uses the calls it was discovered with. */
	readonly config: Configuration;
	/** How the configuration calls the provider. */
	readonly send: CustomFetch;
	/** Call after keys may have been read: caches them for the next sign-in. */
	rememberKeys(): void;
}

/** @throws ProviderFailure, and errors of the library. */
export type Discover = (calls: ProviderCalls, connection: ProviderConnection) => Promise<Discovered>;

export function createDiscovery(description: OpenIdDescription, clock: Clock): Discover {
	const known = new RecentMap<Known>(ISSUERS_MAX);
	const findRecent = (issuer: string): Known | undefined => {
		const entry = known.find(issuer);
		return entry !== undefined && clock() - entry.readAtMs < KEPT_MS ? entry : undefined;
	};
	return async (calls, connection) => {
		const issuer = description.issuer(connection);
		const remembered = findRecent(issuer);
		const document = remembered?.document ?? (await readDocument(calls, issuer));
		const secretPlain = await description.clientSecret?.(connection, clock());
		const config = await discovery(
			new URL(issuer),
			connection.clientId,
			{ [clockSkew]: Math.round((clock() - Date.now()) / SECOND_MS) },
			authentication(secretPlain ?? connection.clientSecretPlain),
			{ [customFetch]: async () => new Response(document, { headers: JSON_HEADERS }) },
		).catch((error: unknown) => {
			throw discoveryFailure(error);
		});
		const send: CustomFetch = async (url, options) => {
			const response = await calls.fetch(url, options);
			return url === URL.parse(config.serverMetadata().jwks_uri ?? "")?.href ? readKeys(response) : response;
		};
		config[customFetch] = send;
		// Otherwise the library accepts TLS to the token endpoint instead of a signature.
		enableNonRepudiationChecks(config);
		const entry = remembered ?? { document, readAtMs: clock(), jwks: undefined };
		if (remembered === undefined) {
			await checkDocument(calls, config, description.hasSharedIssuer === true ? undefined : issuer);
			known.set(issuer, entry);
		}
		if (entry.jwks !== undefined) setJwksCache(config, entry.jwks);
		return {
			config,
			send,
			rememberKeys() {
				entry.jwks = getJwksCache(config) ?? entry.jwks;
			},
		};
	};
}

/** OpenID Connect Discovery 1.0, section 4. */
async function readDocument(calls: ProviderCalls, issuer: string): Promise<string> {
	const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
	const headers = { accept: "application/json" };
	const response = await calls.fetch(url, { method: "GET", headers, body: null, redirect: "manual" });
	if (response.status !== 200)
		throw new ProviderFailure("misconfigured", `no discovery document at the issuer: ${response.status}`);
	return response.text();
}

async function checkDocument(
	calls: ProviderCalls,
	config: Configuration,
	expectedIssuer: string | undefined,
): Promise<void> {
	const metadata = config.serverMetadata();
	if (expectedIssuer !== undefined && new URL(metadata.issuer).href !== new URL(expectedIssuer).href)
		throw new ProviderFailure("misconfigured", "the discovery document belongs to another issuer");
	await checkEndpoints(calls, metadata, ENDPOINTS);
}

/** @throws ProviderFailure */
async function checkEndpoints(
	calls: ProviderCalls,
	metadata: Members,
	names: readonly Endpoint[],
): Promise<void> {
	const hosts = new Map<string, string>();
	for (const name of names) {
		const { host, href } = endpointOf(metadata, name);
		hosts.set(host, href);
	}
	await Promise.all([...hosts.values()].map((url) => calls.check(url)));
}

/**
 * Reads the document now, and checks its endpoints, also the optional one, unless it names another issuer.
 *
 * @returns the issuer that it names. @throws ProviderFailure
 */
export async function readIssuer(calls: ProviderCalls, issuer: string): Promise<string> {
	const metadata = await readMetadata(calls, issuer);
	if (typeof metadata.issuer !== "string")
		throw new ProviderFailure("misconfigured", "the discovery document names no issuer");
	if (metadata.issuer !== issuer) return metadata.issuer;
	const names: readonly Endpoint[] =
		metadata.userinfo_endpoint === undefined ? ENDPOINTS : [...ENDPOINTS, "userinfo_endpoint"];
	await checkEndpoints(calls, metadata, names);
	return issuer;
}

async function readMetadata(calls: ProviderCalls, issuer: string): Promise<Members> {
	const metadata: unknown = JSON.parse(await readDocument(calls, issuer));
	return isMembers(metadata) ? metadata : {};
}

const SIGNING_KEY_TYPES: readonly unknown[] = ["RSA", "EC", "OKP"];

/** Reads document and keys now. @throws ProviderFailure if no key can have signed an ID token. */
export async function checkKeys(calls: ProviderCalls, issuer: string): Promise<void> {
	const { href } = endpointOf(await readMetadata(calls, issuer), "jwks_uri");
	const headers = { accept: "application/json, application/jwk-set+json" };
	const response = await calls.fetch(href, { method: "GET", headers, body: null, redirect: "manual" });
	if (response.status !== 200)
		throw new ProviderFailure("misconfigured", `no key set at jwks_uri: ${response.status}`);
	const body: unknown = JSON.parse(await response.text());
	const keys: readonly unknown[] = isMembers(body) && Array.isArray(body.keys) ? body.keys : [];
	if (!keys.some((key) => isMembers(key) && SIGNING_KEY_TYPES.includes(key.kty) && key.use !== "enc"))
		throw new ProviderFailure("misconfigured", "the key set at jwks_uri has no key that signs ID tokens");
}

/** @throws ProviderFailure `misconfigured` when it is absent or not https. */
export function endpointOf(metadata: Members, name: Endpoint): URL {
	const text = metadata[name];
	const url = typeof text === "string" ? URL.parse(text) : null;
	if (url?.protocol === "https:") return url;
	throw new ProviderFailure("misconfigured", `the discovery document has no https URL as ${name}`);
}

/** The members of a key that decide whether it verifies a signature. */
const KEY_MEMBERS = ["kid", "kty", "alg", "use", "crv", "n", "e", "x", "y"];

/** The key set without members that are no keys, and each key once: the library refuses such a set, and two equal keys. */
async function readKeys(response: Response): Promise<Response> {
	const body: unknown = await response
		.clone()
		.json()
		.catch(() => undefined);
	if (!isMembers(body) || !Array.isArray(body.keys)) return response;
	const keys = new Map<string, unknown>();
	for (const key of body.keys.filter(isMembers))
		keys.set(JSON.stringify(KEY_MEMBERS.map((name) => key[name])), key);
	return new Response(JSON.stringify({ ...body, keys: [...keys.values()] }), response);
}

/**
 * Uses the header unless the provider supports only the form. The header is the default of OpenID Connect Core 1.0,
 * section 9.
 */
function authentication(secretPlain: string): ClientAuth {
	if (secretPlain === "") return None();
	const basic = ClientSecretBasic(secretPlain);
	const post = ClientSecretPost(secretPlain);
	return (server, client, body, headers) => {
		const offered = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
		const isPost = offered.includes("client_secret_post") && !offered.includes("client_secret_basic");
		return (isPost ? post : basic)(server, client, body, headers);
	};
}
