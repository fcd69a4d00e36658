// How the providers are called: over TLS, to a checked address, for so long and no longer, and never where a redirect leads.

import type { IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import type { CustomFetch } from "openid-client";
import { ProviderFailure } from "../../features/third-party/model.ts";
import { checkedTarget, OutboundError, type OutboundRule, outboundError } from "../../kernel/outbound.ts";

/** A discovery document has some 5 KiB, a set of keys some more. */
export const ANSWER_MAX_BYTES = 256 * 1_024;
/** What the libraries look at. */
const HEADERS_KEPT = ["content-type", "www-authenticate"];
const JSON_TYPE = /^application\/(?:json|jwt|[a-z0-9.-]+\+(?:json|jwt))(?:\s*;.*)?$/i;
const WITHOUT_BODY = [204, 205, 304];

/** The calls of one sign-in; they share one deadline. */
export interface ProviderCalls {
	/** Answers of 200 to 299 and 400 to 499; everything else is thrown. @throws ProviderFailure */
	readonly send: CustomFetch;
	/** The same, but an answer of 200 to 299 must say that it is JSON or a JWT. @throws ProviderFailure */
	readonly fetch: CustomFetch;
	/** Whether a URL may be called, without calling it. @throws ProviderFailure */
	check(url: string): Promise<void>;
}

export interface CallBounds extends OutboundRule {
	/** For everything together, names and answers, from the start on. */
	readonly timeoutMs: number;
	/** Where a URL without a port leads. */
	readonly defaultPort: number;
}

export function startCalls({ timeoutMs, defaultPort, ...rule }: CallBounds): ProviderCalls {
	const deadline = AbortSignal.timeout(timeoutMs);
	const bounded = async <T>(url: string, task: (target: URL) => Promise<T>): Promise<T> => {
		const target = parseUrl(url);
		try {
			return await task(target);
		} catch (error) {
			if (error instanceof ProviderFailure) throw error;
			if (deadline.aborted)
				throw new ProviderFailure(
					"unreachable",
					`${target.hostname}: no answer within ${timeoutMs / 1_000} s`,
				);
			throw failureOf(target, outboundError(error));
		}
	};
	const call: CustomFetch = (url, { method, headers, body }) =>
		bounded(url, async (target) => {
			const sent = {
				...(await checkedTarget(target, rule, deadline)),
				...(target.port === "" ? { port: defaultPort } : {}),
				method,
				headers: { ...headers, "user-agent": "latchkey", "accept-encoding": "identity" },
			};
			return await send(target, sent, body === undefined || body === null ? "" : String(body));
		});
	return {
		send: call,
		async fetch(url, options) {
			const answer = await call(url, options);
			if (answer.ok && !JSON_TYPE.test(answer.headers.get("content-type") ?? ""))
				throw new ProviderFailure(
					"invalid_answer",
					`${parseUrl(url).hostname}: answered something other than JSON`,
				);
			return answer;
		},
		check: (url) =>
			bounded(url, async (target) => {
				await checkedTarget(target, rule, deadline);
			}),
	};
}

function parseUrl(text: string): URL {
	const url = URL.parse(text);
	if (url === null)
		throw new ProviderFailure("invalid_answer", "the provider names an address that is no URL");
	return url;
}

function failureOf({ hostname }: URL, { reason, message }: OutboundError): ProviderFailure {
	return new ProviderFailure(
		reason === "forbidden" ? "misconfigured" : "unreachable",
		`${hostname}: ${message}`,
	);
}

function send(target: URL, options: RequestOptions, body: string): Promise<Response> {
	return new Promise((resolve, reject) => {
		const request = httpsRequest(options, (response) => {
			receive(target, response)
				.then(resolve, reject)
				.finally(() => request.destroy());
		});
		request.on("error", reject);
		// Also a connection that ended without an error, in place of an answer (101).
		request.on("close", () =>
			reject(new OutboundError("failed", "the connection was closed without an answer")),
		);
		request.setHeader("host", target.host);
		if (body !== "") request.setHeader("content-length", Buffer.byteLength(body));
		request.end(body);
	});
}

async function receive({ hostname }: URL, response: IncomingMessage): Promise<Response> {
	const { statusCode: status = 0, headers } = response;
	if (status >= 300 && status < 400)
		throw new ProviderFailure(
			"invalid_answer",
			`${hostname}: answered with a redirect, which is not followed`,
		);
	if (status < 200 || status > 499)
		throw new ProviderFailure("unreachable", `${hostname}: answered ${status}`);
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of response as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > ANSWER_MAX_BYTES)
			throw new ProviderFailure(
				"invalid_answer",
				`${hostname}: answered more than ${ANSWER_MAX_BYTES} bytes`,
			);
		chunks.push(chunk);
	}
	const kept = new Headers();
	for (const name of HEADERS_KEPT) {
		const value = headers[name];
		if (typeof value === "string") kept.set(name, value);
	}
	const body = WITHOUT_BODY.includes(status) ? null : Buffer.concat(chunks);
	return new Response(body, { status, headers: kept });
}
