// Third-party sign-in over HTTP: a service, a real OpenID provider, and browsers as cookie jars.

import assert from "node:assert/strict";
import type { Person } from "../people/people.ts";
import {
	type CallResponse,
	startTestService,
	type TestOptions,
	type TestService,
} from "../service/service.ts";
import type { BodyOf, DataOf } from "../service/wire-body.ts";
import {
	type OidcProvider,
	type ProviderUser,
	signInAtProvider,
	startOidcProvider,
} from "./oidc-provider.ts";

export const PUBLIC_URL = "https://id.latchkey.example";
export const IDENTITY_PROVIDERS = "/api/v1/identity-providers";
export const THIRD_PARTY = "/api/v1/auth/third-party";
export const LINKS = "/api/v1/users/me/third-party-accounts";
/** The page that starts sign-ins. */
export const RETURN_TO = "/sign-in?return_to=%2Fconsole";
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
	/** Adds an `oidc` provider of the first tenant; the slug must be one of `SLUGS`. */
	addProvider(slug: string, fields?: Fields): Promise<DataOf<"POST /api/v1/identity-providers">>;
	/** Starts a sign-in in a browser, or a link with `linkTo`. @returns the URL at the provider */
	start(jar: Jar, slug: string, options?: StartOptions): Promise<string>;
	/** Starts, and signs in (or cancels) at the provider. @returns the callback that the browser opens next */
	depart(jar: Jar, slug: string, sub: string | null, options?: StartOptions): Promise<URL>;
	/** Opens a URL of the service in a browser. */
	visit(jar: Jar, url: string | URL, headers?: Readonly<Record<string, string>>): Promise<CallResponse>;
	/** Runs the flow from the start to the page. @returns the outcome that the page finds in its fragment */
	comeBack(slug: string, sub: string | null, options?: ComeBackOptions): Promise<string>;
	/** Runs the flow and finishes it. */
	signIn(slug: string, sub: string, options?: ComeBackOptions): Promise<Finished>;
	/** What the page does when the browser has returned. */
	finish(jar: Jar, headers?: Readonly<Record<string, string>>): Promise<Finished>;
	stop(): Promise<void>;
}

interface StartOptions {
	readonly returnTo?: string;
	/** Links instead of signing in. */
	readonly linkTo?: LinkTarget;
}

export interface ComeBackOptions extends StartOptions {
	readonly jar?: Jar;
}

/** Slugs whose callbacks are registered at the OpenID provider. */
export const SLUGS = ["corp", "closed", "open", "off", "second"] as const;

/** Starts one provider process and one service per test file; `users` are the users of the provider. */
export async function openStage(
	users: readonly ProviderUser[],
	{ redirectsTo, ...options }: Pick<TestOptions, "nameServers"> & { readonly redirectsTo?: string } = {},
): Promise<Stage> {
	const redirect_uris = SLUGS.map((slug) => `${PUBLIC_URL}${THIRD_PARTY}/${slug}/callback`);
	const provider = await startOidcProvider({
		clients: [{ ...CLIENT, redirect_uris }],
		users,
		...(redirectsTo !== undefined && { redirectsTo }),
	});
	const service = await startTestService({
		...options,
		env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL, LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK },
	}).catch(async (error: unknown) => {
		await provider.close();
		throw error;
	});
	return { service, provider, ...stepsOf(service, provider) };
}

type Finished = CallResponse<BodyOf<"POST", `${typeof THIRD_PARTY}/finish`>>;

function stepsOf(service: TestService, provider: OidcProvider) {
	const visit: Stage["visit"] = async (jar, url, headers) => {
		const { origin, pathname, search } = new URL(url, PUBLIC_URL);
		assert.equal(origin, PUBLIC_URL);
		const response = await service.call("GET", pathname + search, {
			https: true,
			headers: { ...cookiesOf(jar), accept: "text/html", ...headers },
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
	const post = (jar: Jar, slug: string, { returnTo, linkTo }: StartOptions) => {
		const headers = cookiesOf(jar);
		if (linkTo === undefined) {
			const body = { return_to: returnTo ?? RETURN_TO };
			return service.call("POST", `${THIRD_PARTY}/${slug}/start`, { headers, body });
		}
		const { token, password } = linkTo;
		const body = { return_to: returnTo ?? "/account", password };
		return service.call("POST", `${LINKS}/${slug}/start`, { headers, body, token });
	};
	const start: Stage["start"] = async (jar, slug, options = {}) => {
		const response = await post(jar, slug, options);
		assert.equal(response.status, 200, JSON.stringify(response.body));
		keepCookies(jar, response);
		return response.body.data.authorization_url;
	};
	const depart: Stage["depart"] = async (jar, slug, sub, options) =>
		signInAtProvider(await start(jar, slug, options), sub);
	const comeBack: Stage["comeBack"] = async (slug, sub, { jar = newJar(), ...options } = {}) =>
		outcomeOf(await visit(jar, await depart(jar, slug, sub, options)));
	const finish: Stage["finish"] = (jar, headers) =>
		service.call("POST", `${THIRD_PARTY}/finish`, {
			https: true,
			headers: { ...cookiesOf(jar), origin: PUBLIC_URL, ...headers },
		});
	const signIn: Stage["signIn"] = async (slug, sub, options = {}) => {
		const { jar = newJar() } = options;
		assert.equal(await comeBack(slug, sub, { ...options, jar }), "finish");
		return finish(jar);
	};
	const stop = async (): Promise<void> => {
		await service.stop();
		await provider.close();
	};
	return { visit, addProvider, start, depart, comeBack, signIn, finish, stop };
}

/** The fragment of a redirect, which must lead to a page of the service. */
export function outcomeOf(response: CallResponse): string {
	assert.equal(response.status, 303, JSON.stringify(response.body));
	const { origin, hash } = new URL(String(response.headers.location));
	assert.equal(origin, PUBLIC_URL);
	return hash.slice(1);
}

/** The `Cookie` header of a browser. */
export function cookiesOf({ cookies }: Jar): Record<string, string> {
	const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
	return cookie === "" ? {} : { cookie };
}

export function keepCookies(jar: Jar, response: CallResponse): void {
	for (const cookie of response.headers["set-cookie"] ?? []) {
		const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
		jar.cookies.set(name, value);
	}
}
