// Signs requests to the open APIs, and to APIs behind a gate, as docs/signing.md describes. Uses only Web Crypto.

import { hex, type SignedBody } from "./bytes.ts";

/** An API client. Keep the Secret on a server: in a browser, every visitor could read it. */
export interface Credentials {
	/** The base URL of the service, such as `https://auth.example.com`. */
	readonly url: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly apiKey: string;
	/** As displayed, including `sk_`. It is never sent. */
	readonly secret: string;
}

export interface SignOptions {
	/** Milliseconds since 1970. Default: the system clock. */
	readonly now?: () => number;
	/** A new value for each request: 16 to 128 characters of `A-Z a-z 0-9 . _ ~ -`. Default: a random UUID. */
	readonly nonce?: () => string;
}

const encoder = new TextEncoder();

/**
 * The headers of one request, with `content-digest` unless a request of this method has no body.
 *
 * @param target path and query, exactly as on the request line
 * @param body its bytes, or an ArrayBuffer with their SHA-256
 * @throws TypeError that names what is missing or not visible ASCII
 */
export async function sign(
	{ tenantId, appId, apiKey, secret }: Credentials,
	method: string,
	target: string,
	body: SignedBody = new Uint8Array(),
	{ now = Date.now, nonce = () => crypto.randomUUID() }: SignOptions = {},
): Promise<Record<string, string>> {
	const headers = {
		"x-tenant-id": tenantId,
		"x-app-id": appId,
		"x-api-key": apiKey,
		"x-timestamp": `${Math.floor(now() / 1000)}`,
		"x-nonce": nonce(),
	};
	for (const [name, value] of Object.entries({ target, secret, ...headers }))
		if (!/^[!-~]+$/.test(value ?? "")) throw new TypeError(`${name} is missing or not visible ASCII`);
	const { subtle } = crypto;
	const digest = body instanceof Uint8Array ? await subtle.digest("SHA-256", body) : body;
	const lines = ["V1-HMAC-SHA256", method, target, ...Object.values(headers), hex(digest)].join("\n");
	const key = await subtle.importKey(
		"raw",
		encoder.encode(secret),
		{ name: "HMAC", hash: "SHA-256" },
		false,
		["sign"],
	);
	const isBound = body.byteLength || !/^(GET|HEAD|DELETE|OPTIONS)$/.test(method);
	return {
		...headers,
		"x-signature": hex(await subtle.sign("HMAC", key, encoder.encode(lines))),
		...(isBound && { "content-digest": `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(digest)))}:` }),
	};
}
