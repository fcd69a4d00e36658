// Sends and reads JSON.

import { LatchkeyError } from "./error.ts";
import type { SignedFetch } from "./repeating-fetch.ts";

/**
 * The content of the response; undefined if it has none.
 *
 * @throws LatchkeyError for a refusal; SyntaxError if a proxy responded with something else in place of the service
 */
export async function requestJson(send: SignedFetch, path: string, body?: object): Promise<unknown> {
	const response = await send(path, {
		method: body ? "POST" : "GET",
		headers: { accept: "application/problem+json" },
		body: body as object,
	});
	const content = response.text().then((text) => (text ? JSON.parse(text) : undefined));
	if (response.ok) return content;
	throw new LatchkeyError(response.status, await content.catch(() => undefined));
}
