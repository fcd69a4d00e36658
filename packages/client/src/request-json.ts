// Sends and reads JSON.

import { LatchkeyError } from "./error.ts";

/**
 * The content of the response; undefined if it has none.
 *
 * @throws LatchkeyError for a refusal; SyntaxError if a proxy responded with something else in place of the service
 */
export async function requestJson(
	send: (path: string, init: RequestInit) => Promise<Response>,
	path: string,
	body?: unknown,
): Promise<unknown> {
	const response = await send(path, {
		method: body ? "POST" : "GET",
		headers: { accept: "application/problem+json", "content-type": "application/json" },
		body: JSON.stringify(body) as string,
	});
	const content = response.text().then((text) => (text ? JSON.parse(text) : undefined));
	if (response.ok) return content;
	throw new LatchkeyError(response.status, await content.catch(() => undefined));
}
