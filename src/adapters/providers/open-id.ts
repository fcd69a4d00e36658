// Signs in with a provider that speaks OpenID Connect: discovery, code flow with PKCE and nonce, a checked ID token, userinfo.

import {
	authorizationCodeGrant,
	buildAuthorizationUrl,
	type ClientAuth,
	ClientSecretBasic,
	ClientSecretPost,
	type Configuration,
	calculatePKCECodeChallenge,
	clockSkew,
	customFetch,
	discovery,
	type ExportedJWKSCache,
	enableNonRepudiationChecks,
	fetchUserInfo,
	getJwksCache,
	None,
	setJwksCache,
} from "openid-client";
import {
	type ProviderAttempt,
	type ProviderConnection,
	ProviderFailure,
	type ProviderProfile,
} from "../../features/third-party/model.ts";
import type { Clock } from "../../kernel/clock.ts";
import { RecentMap } from "../../kernel/recent-map.ts";
import type { ProviderCalls } from "./bounded-fetch.ts";
import type { Claims } from "./claims.ts";
import { discoveryFailure, providerFailure } from "./failure.ts";
import { checkIdToken } from "./id-token.ts";
import type { ProviderClient } from "./provider-client.ts";

const DISCOVERY_KEPT_MS = 5 * 60_000;
/** Issuers remembered; each has at most two answers of 256 KiB. */
const ISSUERS_MAX = 64;
/** What is fetched from, or where a browser is sent, by the word of a discovery document. */
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"] as const;

/** What is particular to a kind. */
export interface OpenIdDescription {
	/** The issuer whose discovery document is read. @throws ProviderFailure `misconfigured` */
	issuer(connection: ProviderConnection): string;
	readonly scope: string;
	/** More parameters of the authorization request. */
	readonly parameters?: Readonly<Record<string, string>>;
	/** The issuer of the document may be another than the one asked for: Microsoft, whose tenants share a document. */
	readonly hasSharedIssuer?: boolean;
	/** Everything of interest is in the ID token. */
	readonly skipsUserinfo?: boolean;
	/** What is presented as the client's secret; the connection's unless given. @throws ProviderFailure `misconfigured` */
	clientSecret?(connection: ProviderConnection, nowMs: number): Promise<string>;
	/**
	 * @param claims checked; `email` and `email_verified` are from one and the same source
	 * @throws ProviderFailure
	 */
	profile(claims: Claims, connection: ProviderConnection, parameters: URLSearchParams): ProviderProfile;
}

interface Known {
	readonly document: string;
	readonly readAtMs: number;
	/** Kept for 5 minutes by the library, and read again for an unknown `kid` once a minute at most. */
	jwks: ExportedJWKSCache | undefined;
}

export function createOpenIdClient(description: OpenIdDescription, clock: Clock): ProviderClient {
	const known = new RecentMap<Known>(ISSUERS_MAX);

	async function configure(calls: ProviderCalls, connection: ProviderConnection) {
		const issuer = description.issuer(connection);
		const recent = known.find(issuer);
		const remembered =
			recent !== undefined && clock() - recent.readAtMs < DISCOVERY_KEPT_MS ? recent : undefined;
		const secretPlain =
			(await description.clientSecret?.(connection, clock())) ?? connection.clientSecretPlain;
		let document = remembered?.document;
		const fetchDocument: ProviderCalls["fetch"] = async (url, options) => {
			if (document === undefined) {
				const answer = await calls.fetch(url, options);
				if (answer.status !== 200)
					throw new ProviderFailure("misconfigured", `no discovery document at the issuer: ${answer.status}`);
				document = await answer.text();
			}
			return new Response(document, { headers: { "content-type": "application/json" } });
		};
		const skewSeconds = Math.round((clock() - Date.now()) / 1_000);
		const config = await discovery(
			new URL(issuer),
			connection.clientId,
			{ [clockSkew]: skewSeconds },
			authentication(secretPlain),
			{ [customFetch]: fetchDocument },
		).catch((error: unknown) => {
			throw discoveryFailure(error);
		});
		config[customFetch] = calls.fetch;
		enableNonRepudiationChecks(config);
		const entry = remembered ?? { document: document ?? "", readAtMs: clock(), jwks: undefined };
		if (remembered === undefined) {
			await checkDocument(calls, config, issuer);
			known.set(issuer, entry);
		}
		if (entry.jwks !== undefined) setJwksCache(config, entry.jwks);
		return { config, entry };
	}

	async function checkDocument(calls: ProviderCalls, config: Configuration, issuer: string): Promise<void> {
		const metadata = config.serverMetadata();
		if (description.hasSharedIssuer !== true && new URL(metadata.issuer).href !== new URL(issuer).href)
			throw new ProviderFailure("misconfigured", "the discovery document is that of another issuer");
		const hosts = new Map<string, string>();
		for (const name of ENDPOINTS) {
			const url: unknown = metadata[name];
			if (url === undefined && name === "userinfo_endpoint") continue;
			const parsed = typeof url === "string" ? URL.parse(url) : null;
			if (parsed?.protocol !== "https:")
				throw new ProviderFailure("misconfigured", `the discovery document has no https URL as ${name}`);
			hosts.set(parsed.host, parsed.href);
		}
		await Promise.all([...hosts.values()].map((url) => calls.check(url)));
	}

	return {
		async authorizationUrl(calls, connection, attempt) {
			const { config } = await configure(calls, connection);
			const url = buildAuthorizationUrl(config, {
				...(await standardParameters(attempt)),
				nonce: attempt.nonce,
				scope: description.scope,
				...description.parameters,
			});
			return url.href;
		},
		async fetchProfile(calls, connection, attempt, parameters) {
			const { config, entry } = await configure(calls, connection);
			const tokens = await authorizationCodeGrant(config, returnedUrl(attempt, parameters), {
				expectedState: attempt.state,
				expectedNonce: attempt.nonce,
				pkceCodeVerifier: attempt.codeVerifierPlain,
				idTokenExpected: true,
			}).finally(() => {
				// Also keys that did not help: the next unknown `kid` waits for its minute.
				entry.jwks = getJwksCache(config) ?? entry.jwks;
			});
			const claims: Claims = tokens.claims() ?? {};
			await checkIdToken({
				idToken: tokens.id_token ?? "",
				accessToken: tokens.access_token,
				claims,
				clientId: connection.clientId,
				nowMs: clock(),
			});
			const more = await userinfo(config, tokens.access_token, String(claims.sub));
			return description.profile(merge(claims, more), connection, parameters);
		},
	};

	async function userinfo(config: Configuration, accessToken: string, subject: string): Promise<Claims> {
		const isOffered = config.serverMetadata().userinfo_endpoint !== undefined;
		if (description.skipsUserinfo === true || !isOffered) return {};
		try {
			return await fetchUserInfo(config, accessToken, subject);
		} catch (error) {
			throw providerFailure(error, true);
		}
	}
}

/** State, PKCE and where to return: what every authorization request has. */
export async function standardParameters(attempt: ProviderAttempt): Promise<Record<string, string>> {
	return {
		redirect_uri: new URL(attempt.callbackUrl).href,
		state: attempt.state,
		code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifierPlain),
		code_challenge_method: "S256",
	};
}

/** Our callback with what the browser brought; only what the code flow knows is looked at. */
export function returnedUrl(attempt: ProviderAttempt, parameters: URLSearchParams): URL {
	const url = new URL(attempt.callbackUrl);
	for (const name of ["code", "state", "iss", "error", "response"])
		for (const value of parameters.getAll(name)) url.searchParams.append(name, value);
	return url;
}

/**
 * By the header unless the provider offers the form only; OpenID Connect Core 1.0, section 9: not naming any means
 * the header.
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

/** The signed claims win. An address and whether it is verified are one statement and are not mixed. */
function merge(signed: Claims, userinfo: Claims): Claims {
	const from = signed.email === undefined ? userinfo : signed;
	return { ...userinfo, ...signed, email: from.email, email_verified: from.email_verified };
}
