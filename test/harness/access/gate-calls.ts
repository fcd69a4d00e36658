// Asks a gate like a proxy does, and obtains the proofs of callers.

import { createHash } from "node:crypto";
import {
	ADMIN,
	type CallResponse,
	type Credentials,
	signedHeaders,
	type TestService,
} from "../service/service.ts";

/** The environment of a service behind a proxy on this machine. */
export const BEHIND_PROXY = { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1/32" };
const CALLER_IP = "203.0.113.7";

type Headers = Readonly<Record<string, string | string[]>>;

/** A gate with its key. */
export interface KeyedGate {
	readonly application_id: string;
	readonly gate_key: string;
}

export interface Asked {
	readonly method?: string;
	readonly headers?: Headers;
	readonly ip?: string;
	readonly proto?: string;
}

/** What a request to the gate returns: its status, the code of a refusal, and the caller. */
export interface Decision extends CallResponse<unknown> {
	/** As in the headers of the response: `partner:… ok`, or `- gate.no_rule`. */
	readonly outcome: string;
}

/** Asks about a request as nginx does. */
export async function ask(
	service: Pick<TestService, "call">,
	{ application_id, gate_key }: KeyedGate,
	target: string,
	{ method = "GET", headers = {}, ip = CALLER_IP, proto = "https" }: Asked = {},
): Promise<Decision> {
	const response = await service.call<unknown>("GET", `/gate/${application_id}`, {
		headers: {
			"x-gate-key": gate_key,
			"x-forwarded-for": ip,
			"x-forwarded-proto": proto,
			"x-original-method": method,
			"x-original-uri": target,
			...headers,
		},
	});
	return decisionOf(response);
}

export function decisionOf(response: CallResponse<unknown>): Decision {
	const { "latchkey-caller": caller, "latchkey-refusal": refusal } = response.headers;
	const outcome = `${response.status} ${response.status === 200 ? caller : refusal}`;
	return { ...response, outcome };
}

/** The headers of a signed request; `Content-Digest` if there is a body. */
export function signedCall(
	service: Pick<TestService, "clock">,
	client: Credentials,
	path: string,
	{ method = "GET", body, nonce }: { method?: string; body?: string; nonce?: string } = {},
): Record<string, string> {
	const nowMs = service.clock.now();
	const signed = signedHeaders(client, { method, path, body, nonce, nowMs });
	return body === undefined ? signed : { ...signed, "content-digest": contentDigest(body) };
}

export function contentDigest(body: string): string {
	return `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
}

export function sha256(body: string | Uint8Array): string {
	return createHash("sha256").update(body).digest("hex");
}

/** `name=value` of the session of a browser. */
export async function browserCookie(
	service: TestService,
	{ username, password }: { username: string; password: string } = ADMIN,
): Promise<string> {
	const { headers, status } = await service.call<unknown>("POST", "/api/v1/auth/login", {
		https: true,
		body: { username, password },
		headers: { origin: service.httpsUrl, "x-session": "cookie" },
	});
	const [cookie] = headers["set-cookie"] ?? [];
	if (cookie === undefined) throw new Error(`sign-in of ${username} returned ${status} without a cookie`);
	return cookie.split(";", 1)[0] as string;
}

/** An access token of a service for an API. */
export async function serviceToken(
	service: TestService,
	{ id, secret }: { readonly id: string; readonly secret: string },
	resource: string,
	scope?: string,
): Promise<string> {
	const fields = { grant_type: "client_credentials", resource, ...(scope !== undefined && { scope }) };
	const { status, body } = await service.call<{ access_token: string }>("POST", "/oauth/token", {
		body: new URLSearchParams(fields).toString(),
		headers: {
			authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
			"content-type": "application/x-www-form-urlencoded",
		},
	});
	if (status !== 200) throw new Error(`the token endpoint returned ${status}: ${JSON.stringify(body)}`);
	return body.access_token;
}
