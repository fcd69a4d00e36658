// Applications behind a gate, and the proofs of callers that may pass.

import { generateKeyPairSync } from "node:crypto";
import { codeOf, send, tokensFor } from "./openid-client.ts";
import type { Credentials, Gate } from "./requests.ts";
import type { RunningService } from "./service.ts";

const TOKENS = 16;
const CALLBACK = "https://shop.example/callback";
const ROLE = { name: "reader", permissions: ["orders:read"] };
const RULES = [{ path: "/orders/{id}", needs: "orders:read" }];

type People = readonly { readonly username: string; readonly password: string }[];

/** An application behind a gate that requires a permission. */
export interface Gated {
	readonly service: RunningService;
	readonly gate: Gate;
	/** As an administrator. */
	change(method: string, path: string, body: unknown): Promise<ReturnType<typeof JSON.parse>>;
}

export async function putGate(service: RunningService): Promise<Gated> {
	const token = await service.adminToken();
	const change: Gated["change"] = async (method, path, body) =>
		(await service.call(method, `/api/v1${path}`, { token, body })).body.data;
	const application = { name: "Orders", access_policy: "assigned", redirect_uris: [CALLBACK] };
	const { id } = await change("POST", "/applications", application);
	await change("POST", `/applications/${id}/roles`, ROLE);
	const { gate_key } = await change("PUT", `/applications/${id}/gate`, { rules: RULES });
	return { service, gate: { application_id: id, gate_key }, change };
}

/** Signs with a Secret, or with a key. */
export async function addPartner(gated: Gated, proof: "Secret" | "key" = "Secret"): Promise<Credentials> {
	const { privateKey, publicKey } = generateKeyPairSync("ed25519");
	const client = await gated.change("POST", "/api-clients", {
		app_id: gated.gate.application_id,
		name: `Buyer with a ${proof}`,
		...(proof === "key" && { public_key: publicKey.export({ format: "jwk" }) }),
	});
	await grant(gated, `api-clients/${client.id}`);
	if (proof === "Secret") return client;
	return { ...client, private_key: privateKey.export({ format: "pem", type: "pkcs8" }) };
}

/** Cookies of these people, whose browsers reach the application at the host of the service. */
export async function signInPeople(gated: Gated, people: People): Promise<string[]> {
	const { port } = gated.service;
	const cookies: string[] = [];
	for (const person of people) {
		const response = await send(port, "POST", "/api/v1/auth/login", {
			headers: {
				"content-type": "application/json",
				"x-session": "cookie",
				origin: `https://127.0.0.1:${port}`,
			},
			body: JSON.stringify(person),
		});
		await grant(gated, `users/${JSON.parse(response.text).data.user.id}`);
		cookies.push(cookieIn(response));
	}
	return cookies;
}

/** Cookies of these people at the host of the application. */
export async function signInAtApplication(
	gated: Gated,
	browser_origin: string,
	people: People,
): Promise<string[]> {
	const { service, gate, change } = gated;
	await change("PUT", `/applications/${gate.application_id}/gate`, { rules: RULES, browser_origin });
	const get = (path: string, cookie = "", key = gate.gate_key) =>
		send(service.port, "GET", path, { headers: { "x-gate-key": key, cookie } });
	const browserPath = `/gate/${gate.application_id}/browser`;
	const cookies: string[] = [];
	for (const signedIn of await signInPeople(gated, people)) {
		const started = await get(`${browserPath}/sign-in?to=/orders/1`);
		const { pathname, search } = new URL(started.headers.location ?? "");
		const entered = await get(`${pathname}${search}`, signedIn);
		const callback = new URL(entered.headers.location ?? "");
		const path = callback.pathname.replace("/.latchkey", browserPath);
		cookies.push(cookieIn(await get(`${path}${callback.search}`, cookieIn(started))));
	}
	return cookies;
}

/** Tokens for the application, which is a client itself. */
export async function issuePersonTokens(gated: Gated, people: People): Promise<string[]> {
	const { service, gate, change } = gated;
	const clientId = gate.application_id;
	const resource = resourceOf(gated);
	const client = { type: "web", first_party: true, resource, allowed_resources: [resource] };
	const { client_secret } = await change("PUT", `/applications/${clientId}/oauth-client`, client);
	const application = {
		port: service.port,
		path: "/oauth/token",
		clientId,
		clientSecret: client_secret,
		redirectUri: CALLBACK,
	};
	const asked = { resource, scope: "openid orders:read" };
	const tokens: string[] = [];
	for (const cookie of await signInPeople(gated, people)) {
		const fields = { ...(await codeOf(application, cookie, asked)), resource };
		tokens.push((await tokensFor(application, fields)).access_token);
	}
	return tokens;
}

export async function issueProgramTokens(gated: Gated): Promise<string[]> {
	const { service, gate, change } = gated;
	const resource = resourceOf(gated);
	const api = { type: "service", resource };
	await change("PUT", `/applications/${gate.application_id}/oauth-client`, api);
	const { id } = await change("POST", "/applications", { name: "Nightly export" });
	const caller = { type: "service", allowed_resources: [resource] };
	const { client_secret } = await change("PUT", `/applications/${id}/oauth-client`, caller);
	await grant(gated, `programs/${id}`);
	const proof = Buffer.from(`${id}:${client_secret}`).toString("base64");
	const fields = new URLSearchParams({ grant_type: "client_credentials", resource });
	const tokens: string[] = [];
	for (let count = 0; count < TOKENS; count++) {
		const { text } = await send(service.port, "POST", "/oauth/token", {
			headers: { authorization: `Basic ${proof}`, "content-type": "application/x-www-form-urlencoded" },
			body: String(fields),
		});
		tokens.push(JSON.parse(text).access_token);
	}
	return tokens;
}

function resourceOf({ gate }: Gated): string {
	return `https://orders.company.example/${gate.application_id}`;
}

async function grant({ gate, change }: Gated, subject: string): Promise<void> {
	await change("PUT", `/applications/${gate.application_id}/grants/${subject}`, { roles: [ROLE.name] });
}

/** `name=value` of the first cookie that a response sets. @throws Error if it sets none. */
function cookieIn({ status, headers, text }: Awaited<ReturnType<typeof send>>): string {
	const [cookie] = (headers["set-cookie"]?.at(-1) ?? "").split(";", 1);
	if (cookie === undefined || cookie === "") throw new Error(`no cookie with status ${status}: ${text}`);
	return cookie;
}
