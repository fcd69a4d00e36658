// An application with an OAuth client and signed-in users, for the benchmarks of the OpenID provider.

import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import type { BareOpenId } from "./bare-openid.ts";
import type { RunningService } from "./service.ts";

const CALLBACK = "https://shop.example/callback";
const PASSWORD = "a long enough password";
/** `LATCHKEY_PUBLIC_URL` of the service. */
export const ISSUER = "https://login.example";

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

export interface SignedInApplication extends BareOpenId {
	readonly path: string;
	readonly redirectUri: string;
	/** The session of the browser that signed in. */
	readonly cookie: string;
}

interface Tokens {
	readonly access_token: string;
	readonly refresh_token: string;
}

/** Obtains tokens as a first-party application does. */
export async function signInToService(
	{ port, call, adminToken }: RunningService,
	signIns: number,
): Promise<SignedInApplication> {
	const token = await adminToken();
	const person = { username: "ada", email: "ada@people.example", password: PASSWORD };
	await call("POST", "/api/v1/users", { token, body: person });
	const application = { name: "Shop", redirect_uris: [CALLBACK], access_policy: "open" };
	const { id } = (await call("POST", "/api/v1/applications", { token, body: application })).body.data;
	const signedIn = await send(port, "POST", "/api/v1/auth/login", {
		headers: { "content-type": "application/json", "x-session": "cookie", origin: ISSUER },
		body: JSON.stringify({ username: person.username, password: PASSWORD }),
	});
	const [cookie = ""] = (signedIn.headers["set-cookie"]?.[0] ?? "").split(";", 1);
	const client = await call("PUT", `/api/v1/applications/${id}/oauth-client`, {
		token,
		body: { type: "web", first_party: true, id_token_alg: "ES256" },
	});
	const clientSecret: string = client.body.data.client_secret;
	const tokens: Tokens[] = [];
	for (let count = 0; count < signIns; count++) {
		const fields = await codeOf({ port, clientId: id, redirectUri: CALLBACK }, cookie, { scope: "openid" });
		tokens.push(await tokensFor({ port, path: "/oauth/token", clientId: id, clientSecret }, fields));
	}
	const refreshTokens = tokens.map(({ refresh_token }) => refresh_token);
	const accessTokens = tokens.map(({ access_token }) => access_token);
	const endpoint = { port, path: "/oauth/token", clientId: id, clientSecret, redirectUri: CALLBACK };
	return { ...endpoint, cookie, refreshTokens, accessTokens };
}

/** The fields that exchange new codes for tokens; see `codeOf`. */
export async function codesOf(application: SignedInApplication, count: number) {
	const fields: Awaited<ReturnType<typeof codeOf>>[] = [];
	const issue = async (): Promise<void> => {
		while (fields.length < count)
			fields.push(await codeOf(application, application.cookie, { scope: "openid" }));
	};
	await Promise.all(Array.from({ length: 16 }, issue));
	return fields;
}

/** Obtains a code for the person of a browser: the fields that exchange it for tokens. */
export async function codeOf(
	{ port, clientId, redirectUri }: { port: number; clientId: string; redirectUri: string },
	cookie: string,
	parameters: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
	const verifier = randomBytes(32).toString("base64url");
	const asked = new URLSearchParams({
		client_id: clientId,
		redirect_uri: redirectUri,
		response_type: "code",
		code_challenge: createHash("sha256").update(verifier).digest("base64url"),
		code_challenge_method: "S256",
		...parameters,
	});
	const { headers } = await send(port, "GET", `/oauth/authorize?${asked}`, { headers: { cookie } });
	const code = new URL(headers.location ?? "").searchParams.get("code");
	if (code === null) throw new Error(`no code, but ${headers.location}`);
	return { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
}

/** @throws Error if the request is refused. */
export async function tokensFor(
	{
		port,
		path,
		clientId,
		clientSecret,
	}: Pick<SignedInApplication, "port" | "path" | "clientId" | "clientSecret">,
	fields: Readonly<Record<string, string>>,
): Promise<Tokens> {
	const proof = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
	const { status, text } = await send(port, "POST", path, {
		headers: { authorization: `Basic ${proof}`, "content-type": "application/x-www-form-urlencoded" },
		body: String(new URLSearchParams(fields)),
	});
	if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`);
	const tokens = JSON.parse(text) as Tokens & { readonly id_token?: string };
	if (tokens.id_token === undefined) throw new Error(`${path} returned no ID token`);
	return tokens;
}

/** As a load balancer forwards it, on a persistent connection. */
export function send(
	port: number,
	method: string,
	path: string,
	{ headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
): Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }> {
	return new Promise((resolve, reject) => {
		const from = { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https" };
		const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
		const request = http.request({ host: "127.0.0.1", port, method, path, agent });
		for (const [name, value] of Object.entries({ ...from, ...length, ...headers }))
			request.setHeader(name, value);
		request.on("error", reject);
		request.on("response", (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("end", () =>
				resolve({
					status: response.statusCode ?? 0,
					headers: response.headers,
					text: Buffer.concat(chunks).toString(),
				}),
			);
		});
		request.end(body);
	});
}
