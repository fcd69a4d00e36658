// Runs the library on one request, without a connection, and reads its response.

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type Provider from "oidc-provider";
import type { BareContext } from "oidc-provider";
import { type ProviderRequest, type ProviderResponse, RESUME_COOKIE } from "../../domain/openid-provider.ts";
import { COOKIES } from "./configuration.ts";
import { LibraryCall, type NamedProgram, withinCall } from "./library-call.ts";

const RESUME = new RegExp(`^${COOKIES.resume}=([^;]*)(.*)$`, "s");

export async function runRequest(
	provider: Provider,
	issuer: string,
	request: ProviderRequest,
	program: NamedProgram | undefined,
): Promise<ProviderResponse> {
	const call = new LibraryCall(request, program);
	return await withinCall(call, async () => {
		const messages = messageFor(issuer, request);
		const context = provider.createContext(messages.request, messages.response);
		messages.response.statusCode = 404;
		await runAll(provider, context);
		const { "set-cookie": cookies, "content-type": type, ...headers } = context.response.headers;
		const body = bodyOf(context.body);
		// Clients that read JSON fail at another type, even of nothing.
		const typed = type !== undefined && body !== "" && { "content-type": String(type) };
		return {
			status: context.status,
			headers: { ...textsOf(headers), ...typed, ...keptCookies(cookies, issuer) },
			body,
			refusal: call.refusal(),
			form: call.form,
			clientId: context.oidc?.client?.clientId,
		};
	});
}

async function runAll({ middleware }: Provider, context: BareContext): Promise<void> {
	const run = (index: number): Promise<void> =>
		middleware[index]?.(context, () => run(index + 1)) ?? Promise.resolve();
	await run(0);
}

function bodyOf(body: unknown): string {
	if (body === undefined || body === null) return "";
	return typeof body === "string" ? body : JSON.stringify(corrected(body));
}

/** Removes the empty scope from tokens for an API: RFC 6749, section 3.3, allows no empty scope. */
function corrected(body: object): object {
	return "access_token" in body && "scope" in body && body.scope === ""
		? { ...body, scope: undefined }
		: body;
}

function textsOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Of the library's cookies, the browser gets only the one that resumes a sign-in, under Latchkey's name. */
function keptCookies(cookies: unknown, issuer: string): { readonly "set-cookie"?: readonly string[] } {
	const texts = cookies === undefined ? [] : [cookies].flat().map(String);
	const secure = issuer.startsWith("https:") ? "; secure" : "";
	const kept = texts.flatMap((text) => {
		const [, value, attributes] = RESUME.exec(text) ?? [];
		if (value === undefined || attributes === undefined) return [];
		return [`${RESUME_COOKIE}=${value}${attributes.replace(/; secure\b/i, "")}${secure}`];
	});
	return kept.length === 0 ? {} : { "set-cookie": kept };
}

/** Builds the request and response of Node.js for the library. */
function messageFor(
	issuer: string,
	{ method, target, headers, body, session, resume }: ProviderRequest,
): { readonly request: IncomingMessage; readonly response: ServerResponse } {
	const { host, protocol } = new URL(issuer);
	// Never connected; the library asks it whether the request came over TLS.
	const socket = Object.assign(new Socket(), { encrypted: protocol === "https:" });
	const request = new IncomingMessage(socket);
	request.method = method;
	request.url = target;
	const cookies = [
		...(session === undefined ? [] : [`${COOKIES.session}=${session.id}`]),
		...(resume === undefined ? [] : [`${COOKIES.resume}=${resume}`]),
	];
	request.headers = {
		...headers,
		// The library builds URLs from it.
		host,
		...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
		...(body.length === 0 ? {} : { "content-length": String(body.length) }),
	};
	request.push(body.length === 0 ? null : body);
	if (body.length > 0) request.push(null);
	return { request, response: new ServerResponse(request) };
}
