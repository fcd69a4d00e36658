// An OpenID provider over TLS that can misbehave in every response.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from "jose";
import { type KeyPair, trustedAuthority } from "../certificates/authority.ts";

export const BAD_CLIENT = { client_id: "latchkey", client_secret: "a secret of the provider's client" };

export type Json = Record<string, unknown>;
type Responder = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

export interface ReceivedRequest {
	readonly method: string;
	readonly path: string;
	readonly query: URLSearchParams;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** The key that signs ID tokens. */
export interface SigningKey {
	readonly privateKey: Parameters<SignJWT["sign"]>[0];
	readonly publicJwk: JWK;
	/** PEM. */
	readonly publicPem: string;
}

/** Deviations from a correct provider. */
export interface Misbehavior {
	/** Replace the whole response. */
	readonly discovery?: Responder;
	readonly authorize?: Responder;
	readonly token?: Responder;
	readonly jwks?: Responder;
	readonly userinfo?: Responder;
	/** Override members of the responses; undefined omits a member. */
	readonly document?: Json;
	readonly claims?: Json;
	readonly tokens?: Json;
	readonly person?: Json;
	/** Replaces the signature with the published key. */
	readonly sign?: (claims: Json, key: SigningKey) => Promise<string>;
	/** Like most providers, neither announces nor sends `iss` in authorization responses (RFC 9207). */
	readonly isSilent?: boolean;
	/** Replaces the `kid` in the header. */
	readonly kid?: string;
}

export interface BadProvider {
	/** `https://127.0.0.1:<port>` unless a host name is set. */
	readonly issuer: string;
	readonly port: number;
	readonly certificateFile: string;
	readonly received: readonly ReceivedRequest[];
	readonly key: SigningKey;
	/** Sets how the provider misbehaves; without an argument it is correct. Clears what it received. */
	misbehave(how?: Misbehavior): void;
	/** Opens an authorization URL like a browser. @returns the URL that it redirects to */
	visit(authorizationUrl: string): Promise<URL>;
	close(): Promise<void>;
}

/** @param certificate default: one for 127.0.0.1 and localhost */
export async function startBadProvider(certificate?: KeyPair): Promise<BadProvider> {
	const authority = await trustedAuthority();
	const pair = certificate ?? (await authority.issue(["127.0.0.1", "localhost"]));
	const key = await makeKey();
	const received: ReceivedRequest[] = [];
	const nonces = new Map<string, string>();
	let how: Misbehavior = {};
	const server = createServer(pair, (request, response) => {
		void answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
	});
	// A client may disconnect at any time.
	server.on("clientError", (_error, socket) => socket.destroy());
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	server.unref();
	const { port } = server.address() as AddressInfo;
	const issuer = `https://127.0.0.1:${port}`;

	async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		response.on("error", () => undefined);
		const url = new URL(incoming.url ?? "/", issuer);
		const request: ReceivedRequest = {
			method: incoming.method ?? "",
			path: url.pathname,
			query: url.searchParams,
			headers: incoming.headers,
			body: await text(incoming),
		};
		received.push(request);
		const route = ROUTES[url.pathname];
		if (route === undefined) response.writeHead(404).end();
		else await (how[route] ?? GOOD[route])(response, request);
	}

	const GOOD: Record<Route, Responder> = {
		discovery: (response) =>
			sendJson(response, {
				...documentOf(issuer),
				authorization_response_iss_parameter_supported: how.isSilent !== true,
				...how.document,
			}),
		jwks: (response) => sendJson(response, { keys: [key.publicJwk] }),
		userinfo: (response) => sendJson(response, { sub: "ann", ...PERSON, ...how.person }),
		authorize(response, { query }) {
			const code = crypto.randomUUID();
			nonces.set(code, query.get("nonce") ?? "");
			const back = new URL(query.get("redirect_uri") ?? "");
			for (const [name, value] of [
				["code", code],
				["state", query.get("state") ?? ""],
				...(how.isSilent === true ? [] : [["iss", issuer] as const]),
			] as const)
				back.searchParams.set(name, value);
			response.writeHead(302, { location: back.href }).end();
		},
		async token(response, { body }) {
			const code = new URLSearchParams(body).get("code") ?? "";
			const nonce = nonces.get(code);
			nonces.delete(code);
			if (nonce === undefined) {
				sendJson(response, { error: "invalid_grant", error_description: `not ${code}` }, 400);
				return;
			}
			const now = Math.floor(Date.now() / 1_000);
			const good = { iss: issuer, sub: "ann", aud: BAD_CLIENT.client_id, iat: now, exp: now + 300, nonce };
			const claims = JSON.parse(JSON.stringify({ ...good, ...how.claims }));
			const sign = how.sign ?? signWith;
			const tokens = {
				access_token: "the access token",
				token_type: "Bearer",
				id_token: await sign(claims, key),
			};
			sendJson(response, { ...tokens, ...how.tokens });
		},
	};

	function signWith(claims: Json, { privateKey }: SigningKey): Promise<string> {
		return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: how.kid ?? "good" }).sign(privateKey);
	}

	return {
		issuer,
		port,
		certificateFile: authority.certificateFile,
		received,
		key,
		misbehave(next = {}) {
			how = next;
			received.length = 0;
		},
		visit: (authorizationUrl) =>
			new Promise((resolve, reject) => {
				get(authorizationUrl, (response) => {
					response.resume();
					const { location } = response.headers;
					if (location === undefined) reject(new Error(`no redirect: ${response.statusCode}`));
					else resolve(new URL(location));
				}).on("error", reject);
			}),
		close() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

const ROUTES = {
	"/.well-known/openid-configuration": "discovery",
	"/authorize": "authorize",
	"/token": "token",
	"/jwks": "jwks",
	"/userinfo": "userinfo",
} as const satisfies Record<string, string> as Readonly<Record<string, Route | undefined>>;
type Route = "discovery" | "authorize" | "token" | "jwks" | "userinfo";

/** The userinfo claims of Ann except `sub`. */
export const PERSON = {
	email: "ann@example.com",
	email_verified: true,
	name: "Ann Example",
	preferred_username: "ann",
	picture: "https://pictures.example.com/ann.png",
};

/** The discovery document of a correct provider. */
export function documentOf(issuer: string): Json {
	return {
		issuer,
		authorization_endpoint: `${issuer}/authorize`,
		token_endpoint: `${issuer}/token`,
		jwks_uri: `${issuer}/jwks`,
		userinfo_endpoint: `${issuer}/userinfo`,
		response_types_supported: ["code"],
		subject_types_supported: ["public"],
		id_token_signing_alg_values_supported: ["RS256"],
		token_endpoint_auth_methods_supported: ["client_secret_basic"],
	};
}

/** Sends JSON; omits undefined members. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Generates an RSA key with the key id `good`. */
export async function makeKey(): Promise<SigningKey> {
	const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
	const publicJwk = { ...(await exportJWK(publicKey)), kid: "good", use: "sig", alg: "RS256" };
	return { privateKey, publicJwk, publicPem: await exportSPKI(publicKey) };
}
