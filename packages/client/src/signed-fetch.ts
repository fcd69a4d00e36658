// A `fetch` that signs every request and repeats those that the service certainly did not execute.

import { readBytes } from "./bytes.ts";
import { type Credentials, type SignOptions, sign } from "./sign.ts";

export interface SignedFetchOptions extends SignOptions {
	/** How often a refused request is repeated; default 2. */
	readonly retries?: number;
	/** Sends the requests. Default: the global `fetch`. */
	readonly fetch?: typeof fetch;
}

/** The service accepts five minutes; within four, the clock is not the cause of a refusal. */
const SKEW_MAX_MS = 240_000;
/** RFC 9110, section 9.2.2: repeating these has the effect of one request. */
const REPEATABLE = /^(GET|HEAD|PUT|DELETE)$/;

/**
 * Like `fetch`; a path is resolved against `url` of the credentials. Every attempt has its own nonce.
 *
 * - 401 with a `Date` that differs by more than four minutes: repeated once with the time of the service.
 * - 429, and 503 where repeating is safe: repeated after `Retry-After`, or after 1, 2, 4… seconds without it. Returned
 *   if the wait would exceed 60 seconds.
 * - Everything else is returned, including redirects, which are never followed.
 *
 * @throws RangeError before sending, if the body exceeds 1 MiB; the reason of `signal` while waiting
 */
export function signedFetch(credentials: Credentials, options: SignedFetchOptions = {}): typeof fetch {
	const { now = Date.now, retries = 2, fetch: send = fetch } = options;
	let skewMs = 0;
	const signing = { ...options, now: () => now() + skewMs };
	return async (input, init) => {
		const request = new Request(
			input instanceof Request ? input : new URL(input, credentials.url),
			init?.body ? ({ ...init, duplex: "half" } as RequestInit) : init,
		);
		const { signal } = request;
		const { origin, pathname, search } = new URL(request.url);
		const target = pathname + search;
		const method = request.method.toUpperCase();
		const body = await readBytes(request.body);
		for (let attempt = 0, isTimeCorrected = false; ; attempt++) {
			const headers = new Headers(request.headers);
			for (const [name, value] of Object.entries(await sign(credentials, method, target, body, signing)))
				headers.set(name, value);
			const response = await send(origin + target, {
				...init,
				method,
				headers,
				signal,
				redirect: "manual",
				body: request.body && body,
			});
			if (attempt >= retries) return response;
			const { status, headers: received } = response;
			const dateMs = Date.parse(received.get("date") ?? "");
			if (status === 401 && Math.abs(dateMs - signing.now()) > SKEW_MAX_MS && !isTimeCorrected) {
				isTimeCorrected = true;
				skewMs = dateMs - now();
			} else if (
				status === 429 ||
				(status === 503 &&
					(REPEATABLE.test(method) ||
						received.has("latchkey-refusal") ||
						// Problem details of the service: it did not execute the request.
						(await response.clone().text()).includes("/docs/errors#")))
			) {
				const seconds = Number(received.get("retry-after") ?? 2 ** attempt);
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
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			reject(signal.reason);
		});
	});
}
