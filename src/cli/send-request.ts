// Sends one signed request over TLS, byte for byte.

import https, { type RequestOptions } from "node:https";
import { StartError } from "../kernel/start-error.ts";

const TIMEOUT_MS = 30_000;

export interface SignedRequest {
	readonly method: string;
	/** `https://host[:port]`, as typed. */
	readonly origin: string;
	/** Path and query, as typed. */
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer | undefined;
	/** Accept any certificate. */
	readonly insecure: boolean;
}

/** @throws StartError when the URL is not https, or there is no response within 30 s. */
export async function sendRequest(request: SignedRequest): Promise<{ status: number; text: string }> {
	const { protocol, hostname, port } = new URL(request.origin);
	if (protocol !== "https:")
		throw new StartError("open APIs require HTTPS; use an https:// URL", { kind: "usage" });
	const { method, target: path, headers, body, insecure } = request;
	try {
		return await exchange(
			{
				// URL keeps the brackets of an IPv6 address; sockets expect it without them.
				host: hostname.replace(/^\[|\]$/g, ""),
				port: port === "" ? 443 : Number(port),
				method,
				path,
				headers: { ...headers, ...(body === undefined ? {} : { "Content-Length": String(body.length) }) },
				rejectUnauthorized: !insecure,
				signal: AbortSignal.timeout(TIMEOUT_MS),
			},
			body,
		);
	} catch (cause) {
		throw new StartError(`${request.origin} did not respond: ${reasonOf(cause)}`, { cause, kind: "away" });
	}
}

function exchange(
	options: RequestOptions,
	body: Buffer | undefined,
): Promise<{ status: number; text: string }> {
	return new Promise((resolve, reject) => {
		const request = https.request(options, (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("error", reject);
			response.on("end", () =>
				resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
			);
		});
		request.on("error", reject);
		request.end(body);
	});
}

/** Why there was no response, for the end of a message. */
export function reasonOf(cause: unknown): string {
	if (!(cause instanceof Error)) return String(cause);
	if (cause.name === "AbortError" || cause.name === "TimeoutError")
		return `no response within ${TIMEOUT_MS / 1000} s`;
	const code = "code" in cause ? String(cause.code) : "";
	if (code === "DEPTH_ZERO_SELF_SIGNED_CERT" || code === "SELF_SIGNED_CERT_IN_CHAIN")
		return "its certificate is self-signed; --insecure accepts it";
	if (code === "EPROTO") return "it does not speak TLS (EPROTO)";
	// The aggregate error of several failed IP addresses has an empty message.
	return cause.message || code;
}
