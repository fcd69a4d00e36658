// A `fetch` that authenticates every request and repeats those that the service certainly did not execute.

import { encoded, type SentBody } from "./body.ts";
import { readBytes, type SignedBody, unhex } from "./bytes.ts";
import { originOf } from "./origins.ts";

export interface RepeatOptions {
	/** Milliseconds since 1970. Default: the system clock. */
	readonly now?: () => number;
	/** How often a refused request is repeated; default 2. */
	readonly retries?: number;
	/** Sends the requests. Default: the global `fetch`. */
	readonly fetch?: typeof fetch;
}

export interface SentInit extends Omit<RequestInit, "body"> {
	/** Also a plain object, which is sent as JSON. Above 1 MiB: a Blob, such as a file, or a stream with `bodySha256`. */
	readonly body?: SentBody | object | null;
	/** The SHA-256 of a stream in hex, which is then not read into memory and never repeated. */
	readonly bodySha256?: string;
}

/** `fetch` for the allowed origins. */
export type SignedFetch = (input: string | URL | Request, init?: SentInit) => Promise<Response>;

/** The headers that authenticate one attempt. `now` of the options is the time of the service, if known. */
type HeadersOf<Options> = (
	method: string,
	target: string,
	body: SignedBody,
	options: Options,
) => Record<string, string> | Promise<Record<string, string>>;

/**
 * Like `fetch`; a path is resolved against `base`.
 *
 * - 401 with a `Date` that differs by more than four minutes: repeated once with the time of the service.
 * - 429, and 503 where repeating is safe: repeated after `Retry-After`, or after 1, 2, 4… seconds without it. Returned
 *   if the wait would exceed 60 seconds.
 * - Everything else is returned, including redirects, which are never followed.
 *
 * @param origins where requests may go besides `base`
 * @throws TypeError before sending, for another origin; RangeError if the body exceeds 1 MiB; the reason of `signal` while
 * waiting; TypeError with the URL if there is no response
 */
export function repeatingFetch<Options extends RepeatOptions>(
	base: string,
	options: Options,
	headersOf: HeadersOf<Options>,
	origins: readonly string[] = [],
): SignedFetch {
	const { now = Date.now, retries = 2, fetch: send = fetch } = options;
	const allowed = [base, ...origins].map(originOf);
	let skewMs = 0;
	return async (input, given = {}) => {
		const init = { ...encoded(given as RequestInit), duplex: "half" } as RequestInit;
		const request = new Request(input instanceof Request ? input : new URL(input, base), init);
		const { signal, body: stream } = request;
		const { origin, pathname, search } = new URL(request.url);
		if (!allowed.includes(origin)) throw new TypeError(`not in origins: ${origin} (could reuse requests)`);
		const target = pathname + search;
		const method = request.method.toUpperCase();
		const isStream = given.bodySha256;
		const body = isStream ? unhex(isStream) : await readBytes(init.body instanceof Blob ? init.body : stream);
		for (let attempt = 0, isTimeCorrected = false; ; attempt++) {
			const headersOfAttempt = await headersOf(method, target, body, {
				...options,
				now: () => now() + skewMs,
			});
			const response = await send(origin + target, {
				...init,
				method,
				headers: { ...Object.fromEntries(request.headers), ...headersOfAttempt },
				redirect: "manual",
				signal,
				body: stream && (isStream ? stream : (body as SentBody)),
			}).catch((cause) => {
				throw signal.aborted ? cause : new TypeError(`no response: ${origin}`, { cause });
			});
			const { status, headers } = response;
			if (attempt >= retries || isStream) return response;
			const aheadMs = Date.parse(headers.get("date") as string) - now();
			// The service accepts five minutes; within four, the clock is not the cause of a refusal.
			if (status === 401 && Math.abs(aheadMs - skewMs) > 240_000 && !isTimeCorrected) {
				isTimeCorrected = true;
				skewMs = aheadMs;
			} else if (
				status === 429 ||
				(status === 503 &&
					// RFC 9110, section 9.2.2: repeating these has the effect of one request.
					(/^(GET|HEAD|DELETE|PUT)$/.test(method) ||
						headers.has("latchkey-refusal") ||
						// Problem details of the service: it did not execute the request.
						(await response.clone().text()).includes("/docs/errors#")))
			) {
				const seconds = Number(headers.get("retry-after") ?? 2 ** attempt);
				if (!(seconds <= 60)) return response;
				await new Promise<void>((resolve, reject) => {
					signal.throwIfAborted();
					const timer = setTimeout(resolve, seconds * 1000);
					signal.onabort = () => {
						clearTimeout(timer);
						reject(signal.reason);
					};
				});
			} else return response;
			await response.body?.cancel();
		}
	};
}
