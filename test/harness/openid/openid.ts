// A relying party and a browser that use the real service, for tests of the OpenID provider.

import assert from "node:assert/strict";
import * as client from "openid-client";
import { tokenDigest } from "../../../src/crypto/digest.ts";
import { randomToken } from "../../../src/crypto/random.ts";
import {
	hasSecret,
	NO_OAUTH_SECRET,
	type OAuthClientSettings,
	RESPONSE_MODES_OF_TYPE,
} from "../../../src/domain/oauth-client.ts";
import { CREDENTIAL_PREFIX } from "../../../src/kernel/credential-prefix.ts";
import { addApplication } from "../access/applications.ts";
import type { SecondTenant } from "../people/second-tenant.ts";
import { serviceFixture } from "../runs/fixture.ts";
import { openBeside } from "../service/beside-service.ts";
import {
	type CallResponse,
	startTestService,
	type TestOptions,
	type TestService,
} from "../service/service.ts";

/** The part of a service that a browser and a relying party use. */
type Reachable = Pick<TestService, "call">;

export const ISSUER = "https://login.example";
export const CALLBACK = "https://shop.example/callback";

export function startOpenIdService(options: TestOptions = {}): Promise<TestService> {
	return startTestService({ ...options, env: { LATCHKEY_PUBLIC_URL: ISSUER, ...options.env } });
}

/** Like `testService`. */
export function openIdService(options?: TestOptions): TestService {
	return serviceFixture(() => startOpenIdService(options));
}

export interface ConnectedClient {
	readonly id: string;
	readonly secret: string;
}

/** Creates an open application with an OAuth client, by default of type `web` with consent in the default tenant. */
export async function connect(
	service: TestService,
	settings: Partial<OAuthClientSettings> = {},
	application: Readonly<Record<string, unknown>> = {},
	tenant?: SecondTenant,
): Promise<ConnectedClient> {
	const fields = { access_policy: "open", redirect_uris: [CALLBACK], ...application };
	const { id } =
		tenant === undefined ? await addApplication(service, fields) : await addTo(service, tenant, fields);
	await using beside = await openBeside(service);
	const [{ tenant_id } = { tenant_id: "" }] = await beside.engine.queries.all<{ tenant_id: string }>(
		"SELECT tenant_id FROM applications WHERE id = $1",
		id,
	);
	const secret = `${CREDENTIAL_PREFIX.oauthSecret}${randomToken()}`;
	const now = service.clock.now();
	const authMethod = settings.authMethod ?? "client_secret_basic";
	const inserted = await beside.db.stores.oauthClients.insert({
		type: "web",
		postLogoutRedirectUris: [],
		backchannelLogoutUri: null,
		firstParty: false,
		idTokenAlg: "ES256",
		pkce: "required",
		deviceFlow: settings.type === "native",
		responseModes: RESPONSE_MODES_OF_TYPE[settings.type ?? "web"],
		jwks: null,
		jwksUri: null,
		resource: null,
		allowedResources: [],
		actsForPeople: [],
		workloads: [],
		assertionAudiences: [],
		profile: "none",
		claims: [],
		...settings,
		authMethod,
		...NO_OAUTH_SECRET,
		...(hasSecret(authMethod)
			? { secretDigest: tokenDigest(secret), secretHint: secret.slice(-4), secretCreatedAtMs: now }
			: {}),
		applicationId: id,
		tenantId: tenant_id,
		createdAtMs: now,
		updatedAtMs: now,
	});
	assert.equal(inserted, true);
	return { id, secret };
}

async function addTo(service: TestService, { adminToken: token }: SecondTenant, fields: object) {
	const body = { name: `Elsewhere ${randomToken().slice(0, 8)}`, ...fields };
	return (await service.call("POST", "/api/v1/applications", { token, body })).body.data;
}

/** A browser: keeps cookies with their paths and does not follow redirects. */
export class TestBrowser {
	readonly issuer: string;
	readonly #service: Reachable;
	readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

	constructor(service: Reachable, issuer = ISSUER) {
		this.#service = service;
		this.issuer = issuer;
	}

	cookie(name: string): string | undefined {
		return this.#cookies.get(name)?.value;
	}

	setCookie(name: string, value: string, path = "/"): void {
		this.#cookies.set(name, { value, path });
	}

	async go(target: string, headers: Readonly<Record<string, string>> = {}): Promise<CallResponse<unknown>> {
		const url = new URL(target, this.issuer);
		return await this.#send("GET", url.pathname + url.search, { accept: "text/html", ...headers });
	}

	async post<Body>(path: string, body: unknown, token?: string): Promise<CallResponse<Body>> {
		const own = { origin: this.issuer, "x-session": "cookie" };
		return (await this.#send("POST", path, own, body, token)) as CallResponse<Body>;
	}

	/** Signs in at the sign-in page. @returns the access token */
	async signIn(username: string, password: string, headers: Record<string, string> = {}): Promise<string> {
		const own = { origin: this.issuer, "x-session": "cookie", ...headers };
		const response = await this.#send("POST", "/api/v1/auth/login", own, { username, password });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return (response.body as { data: { access_token: string } }).data.access_token;
	}

	async #send(
		method: string,
		path: string,
		headers: Readonly<Record<string, string>>,
		body?: unknown,
		token?: string,
	): Promise<CallResponse<unknown>> {
		const sent = [...this.#cookies].filter(([, { path: folder }]) => path.startsWith(folder));
		const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join("; ");
		const response = await this.#service.call<unknown>(method, path, {
			https: true,
			...(body === undefined ? {} : { body }),
			...(token === undefined ? {} : { token }),
			headers: { host: new URL(this.issuer).host, ...(cookie === "" ? {} : { cookie }), ...headers },
		});
		for (const text of response.headers["set-cookie"] ?? []) this.#keep(text);
		return response;
	}

	#keep(text: string): void {
		const [pair = "", ...attributes] = text.split(";").map((part) => part.trim());
		const [name = "", value = ""] = pair.split("=");
		const attribute = (key: string) =>
			attributes.find((each) => each.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
		const expires = attribute("expires");
		const isGone =
			attribute("max-age") === "0" || (expires !== undefined && Date.parse(expires) < Date.now());
		if (value === "" || isGone) this.#cookies.delete(name);
		else this.#cookies.set(name, { value, path: attribute("path") ?? "/" });
	}
}

/** Configures openid-client for the application through discovery. */
export async function relyingParty(
	service: Reachable,
	{ id, secret }: ConnectedClient,
	auth?: client.ClientAuth,
	metadata: Partial<client.ClientMetadata> = {},
	issuer = ISSUER,
): Promise<client.Configuration> {
	return await client.discovery(new URL(issuer), id, metadata, auth ?? client.ClientSecretBasic(secret), {
		[client.customFetch]: fetchFrom(service, issuer),
	});
}

/** A `fetch` that reaches the issuer at the port of the test. */
export function fetchFrom(service: Reachable, issuer = ISSUER) {
	return async (
		target: string,
		{
			method = "GET",
			headers = {},
			body,
		}: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
	): Promise<Response> => {
		const url = new URL(target);
		assert.equal(url.origin, issuer);
		const text = body === undefined || body === null ? undefined : String(body);
		const response = await service.call<unknown>(method, url.pathname + url.search, {
			https: true,
			...(text === undefined ? {} : { body: text }),
			headers: {
				...(text === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
				host: url.host,
				...Object.fromEntries(Object.entries(headers)),
			},
		});
		const received = typeof response.body === "string" ? response.body : JSON.stringify(response.body);
		const given = Object.entries(response.headers).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, String(value)] as [string, string]],
		);
		const isEmpty = response.status === 204 || response.body === undefined;
		return new Response(isEmpty ? null : received, { status: response.status, headers: given });
	};
}

/** The credentials of a client in a header. */
export const basicAuth = ({ id, secret }: ConnectedClient): string =>
	`Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

/** Of several endpoints, and their errors. */
export interface FormAnswer {
	readonly access_token: string;
	readonly token_type?: string;
	readonly request_uri?: string;
	readonly error?: string;
	readonly error_description?: string;
	readonly [member: string]: unknown;
}

/** Sends a form to an endpoint of the provider, without the fields that are undefined. */
export function postForm<Body = FormAnswer>(
	service: Reachable,
	path: string,
	fields: URLSearchParams | Readonly<Record<string, string | undefined>>,
	headers: Readonly<Record<string, string | string[]>> = {},
): Promise<CallResponse<Body>> {
	const sent = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
	return service.call<Body>("POST", path, {
		https: true,
		body: String(fields instanceof URLSearchParams ? fields : new URLSearchParams(sent)),
		headers: {
			host: new URL(ISSUER).host,
			"content-type": "application/x-www-form-urlencoded",
			...headers,
		},
	});
}

/** A browser in which the person is signed in, and the access token of its page. */
export async function signedInBrowser(
	service: Reachable,
	{ username, password }: { readonly username: string; readonly password: string },
): Promise<{ readonly browser: TestBrowser; readonly token: string }> {
	const browser = new TestBrowser(service);
	return { browser, token: await browser.signIn(username, password) };
}

export interface AuthorizationRequest {
	readonly url: URL;
	readonly verifier: string;
	readonly state: string;
	readonly nonce: string;
}

/** Builds an authorization request with PKCE, state, and nonce. */
export async function startAuthorization(
	party: client.Configuration,
	parameters: Readonly<Record<string, string>> = {},
): Promise<AuthorizationRequest> {
	const verifier = client.randomPKCECodeVerifier();
	const [state, nonce] = [client.randomState(), client.randomNonce()];
	const url = client.buildAuthorizationUrl(party, {
		redirect_uri: CALLBACK,
		scope: "openid profile email roles",
		code_challenge: await client.calculatePKCECodeChallenge(verifier),
		code_challenge_method: "S256",
		state,
		nonce,
		...parameters,
	});
	return { url, verifier, state, nonce };
}

export const idOf = (location: string | undefined): string =>
	new URL(location ?? "").searchParams.get("interaction") ?? "";

/** Completes each page of the provider until the browser is redirected to the application. */
export async function completeAuthorization(
	browser: TestBrowser,
	start: URL | string,
	token: string,
): Promise<URL> {
	let target = String(start);
	for (let steps = 0; steps < 6; steps++) {
		const response = await browser.go(target);
		assert.equal(response.status, 303, JSON.stringify(response.body));
		const location = new URL(response.headers.location ?? "");
		if (location.origin !== browser.issuer) return location;
		if (location.pathname.startsWith("/oauth/")) {
			target = location.href;
			continue;
		}
		const action = location.pathname === "/consent" ? "consent" : "continue";
		const next = await proceed(browser, idOf(location.href), token, action);
		assert.equal(next.status, 200, JSON.stringify(next.body));
		target = next.body.data.redirect_to;
	}
	throw new Error(`no way back to the application: ${target}`);
}

/** Redeems the code of a redirect; `resource` goes to the token endpoint. */
export function exchange(
	party: client.Configuration,
	returned: URL,
	{ verifier, state, nonce }: AuthorizationRequest,
	{
		resource,
		DPoP,
	}: { readonly resource?: string | undefined; readonly DPoP?: client.DPoPHandle | undefined } = {},
) {
	const checks = {
		pkceCodeVerifier: verifier,
		expectedState: state,
		expectedNonce: nonce,
		idTokenExpected: true,
	};
	return client.authorizationCodeGrant(
		party,
		returned,
		checks,
		resource === undefined ? {} : { resource },
		DPoP && { DPoP },
	);
}

/** Continues the interaction at a page of the provider. @returns the response with `redirect_to` */
export function proceed(browser: TestBrowser, id: string, token: string | undefined, action = "continue") {
	return browser.post<{ readonly data: { readonly redirect_to: string }; readonly error: string }>(
		`/api/v1/auth/interactions/${id}/${action}`,
		undefined,
		token,
	);
}

/** Runs the whole code flow for the user who is signed in with `token` in `browser`. */
export async function obtainTokens(
	party: client.Configuration,
	browser: TestBrowser,
	token: string,
	parameters: Readonly<Record<string, string>> = {},
) {
	const asked = await startAuthorization(party, parameters);
	return await exchange(party, await completeAuthorization(browser, asked.url, token), asked);
}

/** Creates an application and gives it the consent of `person`. */
export async function allowApplication(
	service: TestService,
	person: { readonly username: string; readonly password: string },
	application: Readonly<Record<string, unknown>> = {},
) {
	const connected = await connect(service, {}, application);
	const party = await relyingParty(service, connected);
	const browser = new TestBrowser(service);
	const token = await browser.signIn(person.username, person.password);
	const tokens = await obtainTokens(party, browser, token);
	return { id: connected.id, party, browser, token, tokens };
}
