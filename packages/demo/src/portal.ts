// An application that signs users in with OpenID Connect, by hand and without a library, and shows each step of the code
// flow as it happens. In a program of your own, use a library: docs/protect-your-application.md.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { page, type Step } from "./portal-page.ts";

interface PortalOptions {
	readonly issuer: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** The resource of the API, and its URL. */
	readonly resource: string;
	readonly apiUrl: string;
}

/** One sign-in of one browser. */
interface Attempt {
	readonly verifier: string;
	readonly nonce: string;
	readonly steps: Step[];
	tokens?: { readonly access: string; readonly id: string };
}

interface Tokens {
	readonly access_token: string;
	readonly id_token: string;
}

const COOKIE = "latchkey-demo";
/** Attempts beyond these are forgotten. */
const ATTEMPTS_MAX = 100;
const SCOPE = "openid profile email orders:read orders:write";
/** What the buttons of the page send to the API. */
const CALLS = ["GET /status", "GET /orders/7", "DELETE /orders/7"] as const;

export function portal(options: PortalOptions): Server {
	const attempts = new Map<string, Attempt>();
	return createServer((request, response) => {
		handle(options, attempts, request, response).catch((error: unknown) => {
			response.writeHead(500, { "content-type": "text/plain" }).end(`The demo failed: ${String(error)}`);
		});
	});
}

async function handle(
	options: PortalOptions,
	attempts: Map<string, Attempt>,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const origin = `http://${request.headers.host}`;
	const { pathname, searchParams } = new URL(request.url ?? "/", origin);
	// The state of the request is the name of the attempt: another browser cannot continue it.
	const state =
		new RegExp(`(?:^|; )${COOKIE}=([A-Za-z0-9_-]+)`).exec(request.headers.cookie ?? "")?.[1] ?? "";
	const attempt = attempts.get(state);
	const show = (status = 200): void => {
		response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
		response.end(page(attempt?.steps ?? [], attempt?.tokens !== undefined, CALLS));
	};
	const go = (location: string, cookie?: string): void => {
		const headers = { location, ...(cookie !== undefined && { "set-cookie": cookie }) };
		response.writeHead(303, headers).end();
	};
	const route = `${request.method} ${pathname}`;
	if (route === "GET /") return show();
	if (request.method === "POST" && request.headers.origin !== origin)
		return void response.writeHead(403).end();
	if (route === "POST /sign-in") {
		const [name, started] = await startAttempt(options, origin);
		attempts.set(name, started.attempt);
		if (attempts.size > ATTEMPTS_MAX) attempts.delete(attempts.keys().next().value ?? "");
		return go(started.url, `${COOKIE}=${name}; Path=/; HttpOnly; SameSite=Lax`);
	}
	if (route === "GET /signed-in" && attempt !== undefined) {
		if (searchParams.get("state") !== state || attempt.tokens !== undefined) return show(400);
		await finishAttempt(options, attempt, `${origin}/signed-in`, searchParams);
		return go("/");
	}
	if (route === "POST /call" && attempt?.tokens !== undefined) {
		const call = CALLS.find((one) => one === searchParams.get("what"));
		if (call === undefined) return show(400);
		await callApi(options, attempt, call, attempt.tokens.access);
		return go("/");
	}
	if (route === "POST /sign-out" && attempt?.tokens !== undefined) {
		attempts.delete(state);
		const query = new URLSearchParams({ id_token_hint: attempt.tokens.id, client_id: options.clientId });
		return go(`${options.issuer}/oauth/logout?${query}`, `${COOKIE}=; Path=/; Max-Age=0`);
	}
	response.writeHead(404, { "content-type": "text/plain" }).end("Not found. Start at /.");
}

async function startAttempt({ issuer, clientId, resource }: PortalOptions, origin: string) {
	const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
	const parameters = {
		client_id: clientId,
		response_type: "code",
		redirect_uri: `${origin}/signed-in`,
		scope: SCOPE,
		resource,
		state,
		nonce,
		code_challenge: Buffer.from(digest).toString("base64url"),
		code_challenge_method: "S256",
	};
	const url = `${issuer}/oauth/authorize?${new URLSearchParams(parameters)}`;
	const step: Step = {
		title: "The application sends your browser to the service",
		why: "It never sees your password. The code challenge binds the code to this application (PKCE).",
		sent: `GET ${issuer}/oauth/authorize`,
		values: parameters,
	};
	return [state, { url, attempt: { verifier, nonce, steps: [step] } as Attempt }] as const;
}

/** Adds a step for each thing that happens, refusals included. */
async function finishAttempt(
	{ issuer, clientId, clientSecret, resource }: PortalOptions,
	attempt: Attempt,
	redirect_uri: string,
	query: URLSearchParams,
): Promise<void> {
	attempt.steps.push({
		title: query.has("code") ? "Your browser returns with a code" : "Your browser returns with an error",
		why: "The code works once, for a minute, and only with the secret and the code verifier of this application.",
		sent: `GET ${redirect_uri}`,
		values: Object.fromEntries(
			[...query].map(([name, value]) => [name, name === "code" ? short(value) : value]),
		),
	});
	const code = query.get("code");
	if (code === null) return;
	const form = {
		grant_type: "authorization_code",
		code,
		redirect_uri,
		resource,
		code_verifier: attempt.verifier,
	};
	const response = await fetch(`${issuer}/oauth/token`, {
		method: "POST",
		headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
		body: new URLSearchParams(form),
	});
	const body = (await response.json()) as Tokens & Record<string, unknown>;
	attempt.steps.push({
		title: "The application exchanges the code for tokens",
		why: "From server to server, with the client secret.",
		sent: `POST ${issuer}/oauth/token → ${response.status}`,
		values: Object.fromEntries(
			Object.entries(body).map(([name, value]) => [
				name,
				name.endsWith("_token") ? short(String(value)) : value,
			]),
		),
	});
	if (!response.ok) return;
	const claims = claimsOf(body.id_token);
	// Over TLS from the token endpoint, TLS proves the issuer of an ID token (OpenID Connect Core, 3.1.3.7).
	if (claims.iss !== issuer || claims.aud !== clientId || claims.nonce !== attempt.nonce)
		throw new Error("the ID token is not for this sign-in");
	attempt.steps.push(
		{
			title: "The ID token says who signed in",
			why: "The application checks issuer, audience, and nonce, and starts its own session.",
			sent: "claims of the ID token",
			values: claims,
		},
		{
			title: "The access token says what the user may do at the API",
			why: "It is for one API, its audience. The scope has only what the roles of the user allow.",
			sent: "claims of the access token",
			values: claimsOf(body.access_token),
		},
	);
	attempt.tokens = { access: body.access_token, id: body.id_token };
}

async function callApi(
	{ apiUrl }: PortalOptions,
	attempt: Attempt,
	call: string,
	token: string,
): Promise<void> {
	const [method = "", path = ""] = call.split(" ");
	const response = await fetch(`${apiUrl}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
	attempt.steps.push({
		title: response.ok ? "The gate lets the call pass" : "The gate refuses the call",
		why: "The API has no code for tokens: the gate decides by its rules, and tells the API who calls.",
		sent: `${method} ${apiUrl}${path} → ${response.status}`,
		values: (await response.json()) as Record<string, unknown>,
	});
}

/** Of a signed token, without verifying its signature. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
	return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
}

function short(secret: string): string {
	return `${secret.slice(0, 12)}… (${secret.length} characters)`;
}

function randomText(): string {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}
