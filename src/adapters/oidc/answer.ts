// Runs the library on one request and reads its response.

import type Provider from "oidc-provider";
import type { BareContext } from "oidc-provider";
import { type ProviderRequest, type ProviderResponse, RESUME_COOKIE } from "../../domain/openid-provider.ts";
import { RESPONSE_MODES } from "./client-metadata.ts";
import { COOKIES } from "./configuration.ts";
import { Exchange, withinExchange } from "./exchange.ts";
import { messageFor } from "./message.ts";

const RESUME = new RegExp(`^${COOKIES.resume}=([^;]*)(.*)$`, "s");

export async function answerWith(
	provider: Provider,
	issuer: string,
	request: ProviderRequest,
): Promise<ProviderResponse> {
	const exchange = new Exchange(request);
	return await withinExchange(exchange, async () => {
		const messages = messageFor(issuer, request);
		const context = provider.createContext(messages.request, messages.response);
		messages.response.statusCode = 404;
		await runAll(provider, context);
		const refusal = exchange.refusal();
		const { "set-cookie": cookies, ...headers } = context.response.headers;
		return {
			status: context.status,
			headers: { ...textsOf(headers), ...keptCookies(cookies, issuer) },
			body: bodyOf(context.body),
			refusal,
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

/**
 * Discovery without the response mode that no client has (`client-metadata.ts`), and tokens for an API without an empty
 * scope, which RFC 6749 does not know (section 3.3).
 */
function corrected(body: object): object {
	if ("response_modes_supported" in body) return { ...body, response_modes_supported: RESPONSE_MODES };
	return "access_token" in body && "scope" in body && body.scope === ""
		? { ...body, scope: undefined }
		: body;
}

function textsOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Of the library's cookies only the one that resumes a sign-in goes to the browser, under our name. */
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
