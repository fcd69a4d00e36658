// Signs requests to the open APIs, and to APIs behind a gate, as docs/signing.md describes. Uses only Web Crypto.

import { hex, type SignedBody } from "./bytes.ts";

/** What an API client signs with: one of both. Neither is ever sent. */
export interface Proof {
	/** As displayed, including `sk_`. */
	readonly secret?: string | undefined;
	/** An Ed25519 key as PKCS#8 PEM, such as the content of `latchkey.pem`. */
	readonly privateKey?: string | undefined;
}

/** An API client. Keep its proof on a server: in a browser, every visitor could read it. */
export interface Credentials extends Proof {
	/** The base URL of the service, such as `https://auth.example.com`. */
	readonly url: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly apiKey: string;
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
 * @throws TypeError that names what is missing, not visible ASCII, or not a key
 */
export async function sign(
	{ tenantId, appId, apiKey, secret, privateKey }: Credentials,
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
	for (const [name, value] of Object.entries({ target, secret: privateKey ? "-" : secret, ...headers }))
		if (!value?.match(/^[!-~]+$/)) throw new TypeError(`${name} is missing or not visible ASCII`);
	const digest = body instanceof Uint8Array ? await crypto.subtle.digest("SHA-256", body) : body;
	const text = [method, target, ...Object.values(headers), hex(digest)].join("\n");
	return {
		...headers,
		"x-signature": hex(
			privateKey
				? await (await import("./key.ts")).sign(privateKey, secret, text)
				: await crypto.subtle.sign(
						"HMAC",
						await crypto.subtle.importKey(
							"raw",
							encoder.encode(secret),
							{ name: "HMAC", hash: "SHA-256" },
							false,
							["sign"],
						),
						encoder.encode(`V1-HMAC-SHA256\n${text}`),
					),
		),
		...((body.byteLength || !/^(GET|HEAD|DELETE|OPTIONS)$/.test(method)) && {
			"content-digest": `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(digest)))}:`,
		}),
	};
}
