// Sends a delivery over HTTPS, to an address that was checked and to no other.

import { request as httpsRequest, type RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import {
	type WebhookAnswer,
	type WebhookRequest,
	WebhookSendError,
	type WebhookSender,
} from "../../features/webhooks/model.ts";
import { type IpAddress, parseIp } from "../../kernel/ip.ts";
import { createHostResolver, type ResolveHost } from "./resolve-host.ts";

const TIMEOUT_MS = 5_000;
const ANSWER_MAX_BYTES = 64 * 1_024;

export interface HttpsSenderOptions {
	/** Asked of every address a name resolves to; one that is refused refuses the name. */
	readonly isAllowed: (ip: IpAddress) => boolean;
	readonly resolve?: ResolveHost;
	/** For everything together, from the name to the end of the answer: 5 s unless told. */
	readonly timeoutMs?: number;
}

/**
 * One POST a connection, certificates checked against the authorities Node trusts (`NODE_EXTRA_CA_CERTS` adds some).
 * The name is resolved once, each of its addresses is checked, and the connection goes to one of these. A redirect is
 * an answer like any other. Of the answer at most 64 KiB are read, and nothing but its status is kept.
 */
export function createHttpsSender(options: HttpsSenderOptions): WebhookSender {
	const { isAllowed, resolve = createHostResolver(), timeoutMs = TIMEOUT_MS } = options;
	return {
		async send(request) {
			const deadline = AbortSignal.timeout(timeoutMs);
			try {
				const target = new URL(request.url);
				if (target.protocol !== "https:") throw new WebhookSendError("the URL is not https");
				const addresses = await checkedAddresses(target.hostname, resolve, isAllowed, deadline);
				return await post(target, addresses, request, deadline);
			} catch (error) {
				if (deadline.aborted)
					throw new WebhookSendError(`no answer within ${timeoutMs / 1_000} s`, { cause: error });
				throw error instanceof WebhookSendError ? error : failure(error);
			}
		},
	};
}

async function checkedAddresses(
	hostname: string,
	resolve: ResolveHost,
	isAllowed: (ip: IpAddress) => boolean,
	signal: AbortSignal,
): Promise<readonly IpAddress[]> {
	const literal = parseIp(hostname.replace(/^\[(.*)\]$/, "$1"));
	const texts = literal === undefined ? await resolve(hostname, signal) : [literal.text];
	const addresses = texts.map(parseIp).filter((address) => address !== undefined);
	// Not one bad address among good ones: whoever answers with both wants us to try both.
	if (addresses.length < texts.length || addresses.length === 0 || !addresses.every(isAllowed)) {
		throw new WebhookSendError("the host leads to an address that is not on the public Internet");
	}
	return addresses;
}

function post(
	target: URL,
	addresses: readonly IpAddress[],
	{ headers, body }: WebhookRequest,
	signal: AbortSignal,
): Promise<WebhookAnswer> {
	return new Promise((resolve, reject) => {
		let answer: WebhookAnswer | undefined;
		const request = httpsRequest(requestOptions(target, addresses, signal), (response) => {
			answer = {
				statusCode: response.statusCode ?? 0,
				retryAfterSeconds: secondsOf(response.headers["retry-after"]),
			};
			const received = answer;
			let bytes = 0;
			response.on("data", (chunk: Buffer) => {
				bytes += chunk.length;
				if (bytes >= ANSWER_MAX_BYTES) request.destroy();
			});
			// However its body ended: the status is the answer.
			response.on("error", () => resolve(received));
			response.on("close", () => resolve(received));
		});
		request.on("error", (error) => {
			if (answer === undefined) reject(error);
		});
		// Also a connection that ended without an error, in place of an answer (101).
		request.on("close", () => {
			if (answer === undefined) reject(new WebhookSendError("the connection was closed without an answer"));
		});
		for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
		request.setHeader("host", target.host);
		request.setHeader("content-length", Buffer.byteLength(body));
		request.end(body);
	});
}

function requestOptions(target: URL, addresses: readonly IpAddress[], signal: AbortSignal): RequestOptions {
	const hostname = target.hostname.replace(/^\[(.*)\]$|\.$/, "$1");
	const isLiteral = isIP(hostname) !== 0;
	return {
		method: "POST",
		// A literal is connected to as it is; a name is looked up in what was checked, not asked for again.
		host: isLiteral ? (addresses[0]?.text ?? "") : hostname,
		lookup: lookupIn(addresses),
		port: target.port === "" ? 443 : Number(target.port),
		path: target.pathname + target.search,
		servername: isLiteral ? "" : hostname,
		agent: false,
		signal,
	};
}

function lookupIn(addresses: readonly IpAddress[]): LookupFunction {
	const found = addresses.map(({ text, words }) => ({ address: text, family: words.length === 2 ? 4 : 6 }));
	return (_hostname, { all }, callback) => {
		const [first] = found;
		if (all === true || first === undefined) callback(null, found);
		else callback(null, first.address, first.family);
	};
}

function secondsOf(header: string | undefined): number | undefined {
	return header !== undefined && /^[0-9]{1,6}$/.test(header) ? Number(header) : undefined;
}

const CODES: Readonly<Record<string, string>> = {
	ECONNREFUSED: "the connection was refused",
	ECONNRESET: "the connection was cut",
	ENETUNREACH: "the host cannot be reached",
	EHOSTUNREACH: "the host cannot be reached",
	ETIMEDOUT: "the connection timed out",
};

/** In words of ours: Node's name the address. */
function failure(error: unknown): WebhookSendError {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const message = CODES[code] ?? (code === "" ? "the request failed" : `the request failed (${code})`);
	return new WebhookSendError(message, { cause: error });
}
