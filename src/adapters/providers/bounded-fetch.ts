// Calls to a provider: bounded in time and size, only to allowed IP addresses, without redirects.

import type { IncomingMessage } from "node:http";
import type { CustomFetch } from "openid-client";
import { ProviderFailure } from "../../domain/provider-gateway.ts";
import { OutboundError, type OutboundRule, startOutboundCalls } from "../outbound.ts";
import { withoutNull } from "./claims.ts";

/** A discovery document is about 5 KiB; a key set is slightly larger. */
export const RESPONSE_MAX_BYTES = 256 * 1_024;
/** The headers that openid-client reads. */
const HEADERS_KEPT = ["content-type", "www-authenticate"];
const JSON_TYPE = /^application\/(?:json|jwt|[a-z0-9.-]+\+(?:json|jwt))(?:\s*;.*)?$/i;
const WITHOUT_BODY = [204, 205, 304];

/** The calls of one sign-in; they share one deadline. */
export interface ProviderCalls {
	/**
	 * Returns responses of 200 to 299 and 400 to 499. JSON has no members that are null, and of a repeated member the last.
	 *
	 * @throws ProviderFailure for any other status.
	 */
	readonly send: CustomFetch;
	/** Like `send`, but a response of 200 to 299 must be JSON or a JWT by its content type. @throws ProviderFailure */
	readonly fetch: CustomFetch;
	/** Checks whether a URL may be called, without calling it. @throws ProviderFailure */
	check(url: string): Promise<void>;
}

export interface CallBounds extends OutboundRule {
	/** The limit for all calls together, including name resolution. */
	readonly timeoutMs: number;
}

export function startCalls({ timeoutMs, ...rule }: CallBounds): ProviderCalls {
	const calls = startOutboundCalls(rule, timeoutMs);
	const bounded = async <T>(url: string, task: (target: URL) => Promise<T>): Promise<T> => {
		const target = parseUrl(url);
		return await task(target).catch((error) => {
			throw error instanceof OutboundError ? failureOf(target, error) : error;
		});
	};
	const send: CustomFetch = (url, { method, headers, body }) =>
		bounded(url, async (target) => {
			const response = await calls.send(target, {
				method,
				headers: { ...headers, "user-agent": "latchkey", "accept-encoding": "identity" },
				body: body === undefined || body === null ? "" : String(body),
			});
			checkStatus(target, response);
			const bytes = await calls.read(response, RESPONSE_MAX_BYTES);
			if (bytes === undefined)
				throw invalidResponse(target, `returned more than ${RESPONSE_MAX_BYTES} bytes`);
			return toResponse(response, bytes);
		});
	return {
		send,
		async fetch(url, options) {
			const response = await send(url, options);
			if (response.ok && !JSON_TYPE.test(response.headers.get("content-type") ?? ""))
				throw invalidResponse(parseUrl(url), "returned something other than JSON");
			return response;
		},
		check: (url) => bounded(url, (target) => calls.check(target)),
	};
}

function parseUrl(text: string): URL {
	const url = URL.parse(text);
	if (url === null) throw new ProviderFailure("invalid_answer", "the provider returned an invalid URL");
	return url;
}

function failureOf({ hostname }: URL, { reason, message }: OutboundError): ProviderFailure {
	return new ProviderFailure(
		reason === "forbidden" ? "misconfigured" : "unreachable",
		`${hostname}: ${message}`,
	);
}

function invalidResponse({ hostname }: URL, message: string): ProviderFailure {
	return new ProviderFailure("invalid_answer", `${hostname}: ${message}`);
}

/** @throws ProviderFailure for a redirect or a status that no protocol uses; closes the connection then. */
function checkStatus(target: URL, response: IncomingMessage): void {
	const { statusCode: status = 0 } = response;
	if ((status >= 200 && status < 300) || (status >= 400 && status < 500)) return;
	response.destroy();
	if (status >= 300 && status < 400)
		throw invalidResponse(target, "returned a redirect, which is not followed");
	throw new ProviderFailure("unreachable", `${target.hostname}: returned status ${status}`);
}

function toResponse({ statusCode: status = 0, headers }: IncomingMessage, bytes: Buffer): Response {
	const kept = new Headers();
	for (const name of HEADERS_KEPT) {
		const value = headers[name];
		if (typeof value === "string") kept.set(name, value);
	}
	const body = WITHOUT_BODY.includes(status) ? null : readOnce(new TextDecoder().decode(bytes));
	return new Response(body, { status, headers: kept });
}

/** The text that every reader reads the same way: JSON is rewritten, anything else stays unchanged. */
function readOnce(text: string): string {
	try {
		return JSON.stringify(withoutNull(JSON.parse(text)));
	} catch (error) {
		// A JWT, or an error that the reader of the response reports.
		if (error instanceof SyntaxError) return text;
		throw new ProviderFailure("invalid_answer", "the response is nested too deeply");
	}
}
