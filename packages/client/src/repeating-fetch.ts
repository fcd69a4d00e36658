// A `fetch` that authenticates every request and repeats those that the service certainly did not execute.

import { readBytes } from "./bytes.ts";

export interface RepeatOptions {
	/** Milliseconds since 1970. Default: the system clock. */
	readonly now?: () => number;
	/** How often a refused request is repeated; default 2. */
	readonly retries?: number;
	/** Sends the requests. Default: the global `fetch`. */
	readonly fetch?: typeof fetch;
}

/** The headers that authenticate one attempt. `now` of the options is the time of the service, if known. */
type HeadersOf<Options> = (
	method: string,
	target: string,
	body: Uint8Array<ArrayBuffer>,
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
 * @throws RangeError before sending, if the body exceeds 1 MiB; the reason of `signal` while waiting
 */
export function repeatingFetch<Options extends RepeatOptions>(
	base: string,
	options: Options,
	headersOf: HeadersOf<Options>,
): typeof fetch {
	const { now = Date.now, retries = 2, fetch: send = fetch } = options;
	let skewMs = 0;
	const timed = { ...options, now: () => now() + skewMs };
	return async (input, init) => {
		const request = new Request(
			input instanceof Request ? input : new URL(input, base),
			init?.body ? ({ ...init, duplex: "half" } as RequestInit) : init,
		);
		const { signal } = request;
		const { origin, pathname, search } = new URL(request.url);
		const target = pathname + search;
		const method = request.method.toUpperCase();
		const body = await readBytes(request.body);
		for (let attempt = 0, isTimeCorrected = false; ; attempt++) {
			const response = await send(origin + target, {
				...init,
				method,
				headers: {
					...Object.fromEntries(request.headers),
					...(await headersOf(method, target, body, timed)),
				},
				signal,
				redirect: "manual",
				body: request.body && body,
			});
			const { status, headers } = response;
			const aheadMs = Date.parse(headers.get("date") ?? "") - now();
			if (attempt >= retries) return response;
			// The service accepts five minutes; within four, the clock is not the cause of a refusal.
			if (status === 401 && Math.abs(aheadMs - skewMs) > 240_000 && !isTimeCorrected) {
				isTimeCorrected = true;
				skewMs = aheadMs;
			} else if (
				status === 429 ||
				(status === 503 &&
					// RFC 9110, section 9.2.2: repeating these has the effect of one request.
					(/^(GET|HEAD|PUT|DELETE)$/.test(method) ||
						headers.has("latchkey-refusal") ||
						// Problem details of the service: it did not execute the request.
						(await response.clone().text()).includes("/docs/errors#")))
			) {
				const seconds = Number(headers.get("retry-after") ?? 2 ** attempt);
				if (!(seconds <= 60)) return response;
				await wait(seconds * 1000, signal);
			} else return response;
			await response.body?.cancel();
		}
	};
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
	signal.throwIfAborted();
	return new Promise((resolve, reject) => {
		const timer = setTimeout(resolve, milliseconds);
		signal.onabort = () => {
			clearTimeout(timer);
			reject(signal.reason);
		};
	});
}
