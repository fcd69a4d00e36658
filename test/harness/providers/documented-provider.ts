// A TLS server that stands in for unreachable providers and responds as their documentation describes.

import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SignJWT } from "jose";
import type { ProviderGatewayOptions } from "../../../src/adapters/providers/gateway.ts";
import { trustedAuthority } from "../certificates/authority.ts";
import { type Json, makeKey } from "./bad-provider.ts";

export interface SentRequest {
	/** `POST api.example.com/path`, without the query. */
	readonly to: string;
	readonly query: Readonly<Record<string, string>>;
	readonly headers: IncomingHttpHeaders;
	/** The fields of a form or JSON body. */
	readonly body: Readonly<Record<string, string>>;
}

export interface DocumentedResponse {
	readonly status?: number;
	/** Default: `application/json`. */
	readonly type?: string;
	/** Sent as JSON. */
	readonly body: unknown;
}
export type Documented = Readonly<
	Record<string, (request: SentRequest) => DocumentedResponse | Promise<DocumentedResponse>>
>;

export interface DocumentedProvider {
	readonly sent: readonly SentRequest[];
	/** Options for the gateway that resolve every host to this server. */
	readonly options: Pick<ProviderGatewayOptions, "resolve" | "defaultPort" | "isAllowed">;
	/** Sets the responses by `METHOD host/path`; everything else is 404. Clears the recorded requests. */
	response(routes: Documented): void;
	close(): Promise<void>;
}

/** @param hosts the names in the certificate */
export async function startDocumentedProvider(hosts: readonly string[]): Promise<DocumentedProvider> {
	const authority = await trustedAuthority();
	const sent: SentRequest[] = [];
	let routes: Documented = {};
	const server = createServer(await authority.issue(hosts), async (incoming, response) => {
		const url = new URL(`https://${incoming.headers.host}${incoming.url}`);
		const raw = await text(incoming);
		const isJson = incoming.headers["content-type"]?.startsWith("application/json");
		const request: SentRequest = {
			to: `${incoming.method} ${url.host}${url.pathname}`,
			query: Object.fromEntries(url.searchParams),
			headers: incoming.headers,
			body: isJson ? JSON.parse(raw) : Object.fromEntries(new URLSearchParams(raw)),
		};
		sent.push(request);
		const {
			status = 200,
			type = "application/json",
			body,
		} = (await routes[request.to]?.(request)) ?? {
			status: 404,
			body: null,
		};
		response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	server.unref();
	const { port } = server.address() as AddressInfo;
	return {
		sent,
		options: {
			resolve: async () => ["127.0.0.1"],
			defaultPort: port,
			isAllowed: ({ text }) => text === "127.0.0.1",
		},
		response(next) {
			routes = next;
			sent.length = 0;
		},
		close() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

/** Generated once, because it is slow. */
let key: ReturnType<typeof makeKey> | undefined;

/** Responses of an OpenID provider. */
export async function openIdResponses(provider: {
	/** The URL of the discovery document without `/.well-known/…`. */
	readonly issuer: string;
	/** Overrides of the discovery document. */
	readonly document: Json;
	/** Claims of the ID token in addition to `iss`, `iat`, and `exp`. */
	readonly claims: () => Json;
	readonly userinfo?: Json;
}): Promise<Documented> {
	key ??= makeKey();
	const { privateKey, publicJwk } = await key;
	const document: Json = {
		issuer: provider.issuer,
		response_types_supported: ["code"],
		subject_types_supported: ["public"],
		id_token_signing_alg_values_supported: ["RS256"],
		...provider.document,
	};
	const at = (url: unknown) => String(url).replace("https://", "");
	return {
		[`GET ${at(provider.issuer)}/.well-known/openid-configuration`]: () => ({ body: document }),
		[`GET ${at(document.jwks_uri)}`]: () => ({ body: { keys: [publicJwk] } }),
		[`POST ${at(document.token_endpoint)}`]: async () => {
			const now = Math.floor(Date.now() / 1_000);
			const claims = { iss: String(document.issuer), iat: now, exp: now + 600, ...provider.claims() };
			const id_token = await new SignJWT(claims)
				.setProtectedHeader({ alg: "RS256", kid: "good" })
				.sign(privateKey);
			return {
				body: { access_token: "the access token", token_type: "Bearer", expires_in: 3_600, id_token },
			};
		},
		[`GET ${at(document.userinfo_endpoint)}`]: () => ({ body: provider.userinfo ?? {} }),
	};
}
