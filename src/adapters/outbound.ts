// The outbound HTTPS client: connects only to checked IP addresses, within one deadline, and follows no redirects.

import type { IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type IpAddress, parseIp } from "../kernel/ip.ts";

/** Resolves a name to at least one address. Stops early when `signal` is aborted. @throws OutboundError */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface OutboundRule {
	readonly resolve: ResolveHost;
	/** Checks every IP address of a name; one forbidden address forbids the name. */
	readonly isAllowed: (ip: IpAddress) => boolean;
	/** The port of a URL without one. Default 443. */
	readonly defaultPort?: number;
}

/**
 * `forbidden`: by the rule, or not https. `late`: the deadline passed. `failed`: the connection could not be established or was
 * lost.
 */
export type OutboundFailure = "forbidden" | "unresolved" | "late" | "failed";

/** Why there was no response. The message contains no IP address, so administrators of tenants may read it. */
export class OutboundError extends Error {
	readonly reason: OutboundFailure;

	constructor(reason: OutboundFailure, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "OutboundError";
		this.reason = reason;
	}
}

export interface OutboundRequest {
	readonly method: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** Requests that share one deadline. Every method throws `OutboundError` only. */
export interface OutboundCalls {
	/**
	 * Sends one request over a separate connection and resolves with the head of the response, for any status. Read the body
	 * with `read`, or destroy the response.
	 */
	send(target: URL, request: OutboundRequest): Promise<IncomingMessage>;
	/** Reads a body and closes the connection; undefined for a body of more than `maxBytes`. */
	read(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined>;
	/** Reads at most `maxBytes` of a body, or what arrives before the deadline or a lost connection, which it closes. */
	readBeginning(response: IncomingMessage, maxBytes: number): Promise<Buffer>;
	/** Checks whether a URL may be called, without calling it. */
	check(target: URL): Promise<void>;
}

/**
 * Starts the deadline. Resolves a name once, checks each of its IP addresses, and connects to one of them. Verifies
 * certificates with the name and the authorities that Node trusts (`NODE_EXTRA_CA_CERTS` adds more).
 */
export function startOutboundCalls(rule: OutboundRule, timeoutMs: number): OutboundCalls {
	const deadline = AbortSignal.timeout(timeoutMs);
	const bounded = <T>(task: Promise<T>): Promise<T> =>
		task.catch((cause: unknown) => {
			if (!deadline.aborted) throw outboundError(cause);
			throw new OutboundError("late", `no response within ${timeoutMs / 1_000} s`, { cause });
		});
	const locate = (target: URL) => checkedTarget(target, rule, deadline);
	return {
		send: (target, request) => bounded(locate(target).then((place) => send(target, place, request))),
		read: (response, maxBytes) => bounded(read(response, maxBytes)),
		readBeginning,
		check: (target) => bounded(locate(target)).then(() => undefined),
	};
}

async function checkedTarget(target: URL, rule: OutboundRule, signal: AbortSignal): Promise<RequestOptions> {
	if (target.protocol !== "https:") throw new OutboundError("forbidden", "the URL is not https");
	const addresses = await checkedAddresses(target.hostname, rule, signal);
	const hostname = target.hostname.replace(/^\[(.*)\]$|\.$/, "$1");
	const isLiteral = isIP(hostname) !== 0;
	return {
		// Node resolves only names, so a literal must be the checked IP address.
		host: isLiteral ? (addresses[0]?.text ?? "") : hostname,
		lookup: lookupIn(addresses),
		port: target.port === "" ? (rule.defaultPort ?? 443) : Number(target.port),
		path: target.pathname + target.search,
		servername: isLiteral ? "" : hostname,
		agent: false,
		signal,
	};
}

async function checkedAddresses(
	hostname: string,
	{ resolve, isAllowed }: OutboundRule,
	signal: AbortSignal,
): Promise<readonly IpAddress[]> {
	const literal = parseIp(hostname.replace(/^\[(.*)\]$/, "$1"));
	const texts = literal === undefined ? await resolve(hostname, signal) : [literal.text];
	const addresses = texts.map(parseIp).filter((address) => address !== undefined);
	// A forbidden address among allowed ones is an attempt to make the client try both.
	if (addresses.length < texts.length || addresses.length === 0 || !addresses.every(isAllowed)) {
		throw new OutboundError(
			"forbidden",
			"the host resolves to an IP address that is not on the public Internet",
		);
	}
	return addresses;
}

/** A lookup that returns the checked addresses, without a second DNS query. */
function lookupIn(addresses: readonly IpAddress[]): LookupFunction {
	const found = addresses.map(({ text, words }) => ({ address: text, family: words.length === 2 ? 4 : 6 }));
	return (_hostname, { all }, callback) => {
		const [first] = found;
		if (all === true || first === undefined) callback(null, found);
		else callback(null, first.address, first.family);
	};
}

function send(target: URL, place: RequestOptions, call: OutboundRequest): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		const request = httpsRequest({ ...place, method: call.method }, resolve);
		request.on("error", reject);
		// The connection can also end without an error and without a response (101).
		request.on("close", () =>
			reject(new OutboundError("failed", "the connection was closed without a response")),
		);
		for (const [name, value] of Object.entries(call.headers)) request.setHeader(name, value);
		request.setHeader("host", target.host);
		if (call.body !== "") request.setHeader("content-length", Buffer.byteLength(call.body));
		request.end(call.body);
	});
}

/** Leaving the loop destroys the response and its connection. */
async function read(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	const received: AsyncIterable<Buffer> = response;
	try {
		for await (const chunk of received) {
			bytes += chunk.length;
			if (bytes > maxBytes) return undefined;
			chunks.push(chunk);
		}
		return Buffer.concat(chunks);
	} finally {
		response.destroy();
	}
}

async function readBeginning(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	const received: AsyncIterable<Buffer> = response;
	try {
		for await (const chunk of received) {
			chunks.push(chunk);
			bytes += chunk.length;
			if (bytes >= maxBytes) break;
		}
	} catch {
		// What arrived before counts.
	} finally {
		response.destroy();
	}
	return Buffer.concat(chunks).subarray(0, maxBytes);
}

const MESSAGES: Readonly<Record<string, string>> = {
	ECONNREFUSED: "the connection was refused",
	ECONNRESET: "the connection was reset",
	ENETUNREACH: "the host cannot be reached",
	EHOSTUNREACH: "the host cannot be reached",
	ETIMEDOUT: "the connection timed out",
};

/** Replaces the message of a Node error, which contains the IP address. */
function outboundError(error: unknown): OutboundError {
	if (error instanceof OutboundError) return error;
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const message = MESSAGES[code] ?? (code === "" ? "the request failed" : `the request failed (${code})`);
	return new OutboundError("failed", message, { cause: error });
}
