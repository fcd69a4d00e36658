// Third-party sign-in over HTTP: a service, a real OpenID provider, an application, and browsers as cookie jars.

import assert from "node:assert/strict";
import { addApplication } from "./applications.ts";
import {
	type OidcProvider,
	type ProviderUser,
	signInAtProvider,
	startOidcProvider,
} from "./oidc-provider.ts";
import type { Person } from "./people.ts";
import { type CallResponse, startTestService, type TestService } from "./service.ts";
import type { BodyOf, DataOf } from "./wire-body.ts";

export const PUBLIC_URL = "https://id.latchkey.example";
export const IDENTITY_PROVIDERS = "/api/v1/identity-providers";
export const THIRD_PARTY = "/api/v1/auth/third-party";
export const LINKS = "/api/v1/users/me/third-party-accounts";
export const REDIRECT_URI = "https://app.latchkey.example/back?from=login";
/** For `LATCHKEY_PROVIDER_ALLOWED_NETWORKS`: the network of the test providers. */
export const PROVIDER_NETWORK = "127.0.0.0/8";
const CLIENT = { client_id: "latchkey", client_secret: "the secret of latchkey at its provider" };

type Fields = Readonly<Record<string, unknown>>;

/** A browser: its cookies for the origin of the service. */
export interface Jar {
	readonly cookies: Map<string, string>;
}

export function newJar(): Jar {
	return { cookies: new Map() };
}

/** A user with a password to link an account to. */
export type LinkTarget = Pick<Person, "token" | "password">;

export interface Stage {
	readonly service: TestService;
	readonly provider: OidcProvider;
	readonly appId: string;
	/** Adds an `oidc` provider of the first tenant; the slug must be one of `SLUGS`. */
	addProvider(slug: string, fields?: Fields): Promise<DataOf<"POST /api/v1/identity-providers">>;
	/** Starts a sign-in, or a link with `linkTo`. @returns the authorization URL */
	start(slug: string, fields?: Fields, linkTo?: LinkTarget): Promise<string>;
	/** Opens a URL of the service in a browser. */
	visit(jar: Jar, url: string | URL, headers?: Readonly<Record<string, string>>): Promise<CallResponse>;
	/** Signs in (or cancels) at an authorization URL. @returns the URL that the provider redirects to */
	goThrough(jar: Jar, authorizationUrl: string, sub: string | null): Promise<URL>;
	/** Runs the flow from the start to the application. @returns the parameters that the application receives */
	comeBack(slug: string, sub: string | null, options?: ComeBackOptions): Promise<URLSearchParams>;
	/** Runs the flow and redeems the ticket. */
	signIn(slug: string, sub: string, options?: ComeBackOptions): Promise<Redeemed>;
	redeem(ticket: string | null, fields?: Fields): Promise<Redeemed>;
	stop(): Promise<void>;
}

export interface ComeBackOptions {
	readonly jar?: Jar;
	readonly fields?: Fields;
	/** Links instead of signing in. */
	readonly linkTo?: LinkTarget;
}

/** Slugs whose callbacks are registered at the OpenID provider. */
export const SLUGS = ["corp", "closed", "open", "off", "second"] as const;

/** Starts one provider process and one service per test file; `users` are the users of the provider. */
export async function openStage(users: readonly ProviderUser[]): Promise<Stage> {
	const redirect_uris = SLUGS.map((slug) => `${PUBLIC_URL}${THIRD_PARTY}/${slug}/callback`);
	const provider = await startOidcProvider({ clients: [{ ...CLIENT, redirect_uris }], users });
	const service = await startTestService({
		env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL, LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK },
	}).catch(async (error: unknown) => {
		await provider.close();
		throw error;
	});
	const application = { redirect_uris: [REDIRECT_URI], access_policy: "open" };
	const { id: appId } = await addApplication(service, application);
	return { service, provider, appId, ...stepsOf(service, provider) };
}

type Redeemed = CallResponse<BodyOf<"POST", `${typeof THIRD_PARTY}/token`>>;

function stepsOf(service: TestService, provider: OidcProvider) {
	const visit: Stage["visit"] = async (jar, url, headers) => {
		const { origin, pathname, search } = new URL(url, PUBLIC_URL);
		assert.equal(origin, PUBLIC_URL);
		const cookie = [...jar.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const response = await service.call("GET", pathname + search, {
			https: true,
			headers: { ...(cookie === "" ? {} : { cookie }), accept: "text/html", ...headers },
		});
		keepCookies(jar, response);
		return response;
	};
	const addProvider: Stage["addProvider"] = (slug, fields) =>
		service.asAdmin("POST", IDENTITY_PROVIDERS, {
			provider: slug,
			kind: "oidc",
			display_name: slug,
			issuer: provider.issuer,
			...CLIENT,
			...fields,
		});
	const begin = (slug: string, fields: Fields = {}, linkTo?: LinkTarget) => {
		const body = { redirect_uri: REDIRECT_URI, ...fields };
		if (linkTo === undefined) return service.call("POST", `${THIRD_PARTY}/${slug}/start`, { body });
		const { token, password } = linkTo;
		return service.call("POST", `${LINKS}/${slug}/start`, { body: { ...body, password }, token });
	};
	const start: Stage["start"] = async (slug, fields, linkTo) => {
		const response = await begin(slug, fields, linkTo);
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body.data.authorization_url;
	};
	const goThrough: Stage["goThrough"] = async (jar, authorizationUrl, sub) => {
		const departure = await visit(jar, authorizationUrl);
		assert.equal(departure.status, 303, JSON.stringify(departure.body));
		return signInAtProvider(String(departure.headers.location), sub);
	};
	const comeBack: Stage["comeBack"] = async (slug, sub, { jar = newJar(), fields, linkTo } = {}) => {
		const started = await begin(slug, fields, linkTo);
		assert.equal(started.status, 200, JSON.stringify(started.body));
		keepCookies(jar, started);
		const callback = await goThrough(jar, started.body.data.authorization_url, sub);
		return parametersOf(await visit(jar, callback));
	};
	const redeem: Stage["redeem"] = (ticket, fields) =>
		service.call("POST", `${THIRD_PARTY}/token`, { body: { ticket, ...fields } });
	const signIn: Stage["signIn"] = async (slug, sub, options) => {
		const back = await comeBack(slug, sub, options);
		assert.equal(back.get("error"), null);
		return redeem(back.get("ticket"));
	};
	const stop = async (): Promise<void> => {
		await service.stop();
		await provider.close();
	};
	return { visit, addProvider, start, goThrough, comeBack, signIn, redeem, stop };
}

/** The parameters of a redirect, which must lead to the application. */
export function parametersOf(response: CallResponse): URLSearchParams {
	assert.equal(response.status, 303, JSON.stringify(response.body));
	const location = String(response.headers.location);
	assert.ok(location.startsWith(`${REDIRECT_URI}&`), location);
	return new URLSearchParams(location.slice(REDIRECT_URI.length + 1));
}

function keepCookies(jar: Jar, response: CallResponse): void {
	for (const cookie of response.headers["set-cookie"] ?? []) {
		const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
		jar.cookies.set(name, value);
	}
}
