// A real OpenID provider over TLS in a separate process, and sign-ins there without a browser.

import { type ChildProcess, spawn } from "node:child_process";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { trustedAuthority } from "../certificates/authority.ts";

const ENTRY = join(import.meta.dirname, "oidc-provider-process.ts");
const PATIENCE_MS = 20_000;
const HOPS_MAX = 12;

/** A client in the format of OpenID registration metadata. */
export interface ProviderClient {
	readonly client_id: string;
	readonly client_secret: string;
	readonly redirect_uris: readonly string[];
	readonly [more: string]: unknown;
}

/** A user; all claims except `sub` are optional. */
export interface ProviderUser {
	readonly sub: string;
	readonly email?: string;
	readonly email_verified?: boolean;
	readonly name?: string;
	readonly preferred_username?: string;
	readonly picture?: string;
}

/** The standard input of the process. */
export interface ProviderSettings {
	readonly host: string;
	readonly cert: string;
	readonly key: string;
	readonly clients: readonly ProviderClient[];
	readonly users: readonly ProviderUser[];
	/** Accepts every redirect URI below this URL: the slug of a provider that a link sets up is not known before. */
	readonly redirectsTo?: string;
}

export interface OidcProvider {
	/** `https://127.0.0.1:<port>`; this process trusts its certificate. */
	readonly issuer: string;
	/** A PEM file, for `NODE_EXTRA_CA_CERTS` of another process. */
	readonly certificateFile: string;
	/** Stops the process. Always call it. */
	close(): Promise<void>;
}

/** @param host `127.0.0.1`, or `localhost` for another site than a service on `127.0.0.1` */
export async function startOidcProvider(options: {
	readonly clients: readonly ProviderClient[];
	readonly users: readonly ProviderUser[];
	readonly host?: "127.0.0.1" | "localhost";
	readonly redirectsTo?: string;
}): Promise<OidcProvider> {
	const authority = await trustedAuthority();
	const { host = "127.0.0.1", ...shared } = options;
	const settings: ProviderSettings = { host, ...shared, ...(await authority.issue([host])) };
	const child = spawn(process.execPath, [ENTRY], { stdio: ["pipe", "pipe", "pipe"] });
	const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
	child.stdin.on("error", () => undefined);
	child.stdin.write(`${JSON.stringify(settings)}\n`);
	try {
		const { issuer } = JSON.parse(await firstLine(child));
		return {
			issuer,
			certificateFile: authority.certificateFile,
			close: () => {
				child.kill();
				return ended;
			},
		};
	} catch (error) {
		child.kill();
		throw error;
	}
}

function firstLine(child: ChildProcess): Promise<string> {
	return new Promise((resolve, reject) => {
		let errors = "";
		child.stderr?.on("data", (chunk) => {
			errors += chunk;
		});
		const timer = setTimeout(() => reject(new Error("the OpenID provider does not start")), PATIENCE_MS);
		child.once("close", () => reject(new Error(`the OpenID provider ended: ${errors}`)));
		if (child.stdout === null) return reject(new Error("no output"));
		createInterface({ input: child.stdout }).once("line", (line) => {
			clearTimeout(timer);
			resolve(line);
		});
	});
}

/**
 * Follows an authorization URL like a browser, signs in as `sub` at the provider's page (or cancels if `sub` is
 * null), and stops at the first redirect that leaves the provider.
 *
 * @returns the URL of that redirect: the callback with its parameters
 */
export async function signInAtProvider(authorizationUrl: string, sub: string | null): Promise<URL> {
	const cookies = new Map<string, string>();
	const { origin } = new URL(authorizationUrl);
	let url = new URL(authorizationUrl);
	for (let hop = 0; hop < HOPS_MAX; hop++) {
		const page = await visit(url, cookies);
		const response =
			page.location === undefined && page.status === 200
				? await visit(url, cookies, sub === null ? "deny=1" : `sub=${encodeURIComponent(sub)}`)
				: page;
		if (response.location === undefined)
			throw new Error(`${url.pathname}: ${response.status} ${response.body}`);
		url = new URL(response.location, url);
		if (url.origin !== origin) return url;
	}
	throw new Error("the provider redirects in circles");
}

interface Visited {
	readonly status: number;
	readonly location: string | undefined;
	readonly body: string;
}

function visit(url: URL, cookies: Map<string, string>, form?: string): Promise<Visited> {
	return new Promise((resolve, reject) => {
		const headers: Record<string, string> = {
			cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
		};
		if (form !== undefined) headers["content-type"] = "application/x-www-form-urlencoded";
		const request = httpsRequest(
			url,
			{ method: form === undefined ? "GET" : "POST", headers },
			(response) => {
				for (const cookie of response.headers["set-cookie"] ?? []) {
					const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split(/=(.*)/s);
					cookies.set(name, value);
				}
				let body = "";
				response.setEncoding("utf8").on("data", (chunk) => {
					body += chunk;
				});
				const { statusCode: status = 0, headers } = response;
				response.on("end", () => resolve({ status, location: headers.location, body }));
			},
		);
		request.on("error", reject);
		request.end(form);
	});
}
