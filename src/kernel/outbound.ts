// Connects out, for whoever lets others say where to: to an address that was checked and to no other.

import type { RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type IpAddress, parseIp } from "./ip.ts";

/** The addresses of a name, at least one. Stops early when `signal` is aborted. @throws OutboundError */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface OutboundRule {
	readonly resolve: ResolveHost;
	/** Asked of every address a name resolves to; one that is refused refuses the name. */
	readonly isAllowed: (ip: IpAddress) => boolean;
}

/** `forbidden`: by the rule, or because it is not https; `failed`: the connection could not be made or broke. */
export type OutboundFailure = "forbidden" | "unresolved" | "failed";

/** Why there was no answer, in words an administrator of a tenant may read: they name no address. */
export class OutboundError extends Error {
	readonly reason: OutboundFailure;

	constructor(reason: OutboundFailure, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "OutboundError";
		this.reason = reason;
	}
}

/**
 * Where a request of `node:https` to `target` goes: the name is resolved once, each of its addresses is checked, and
 * the connection is made to one of these, its certificate checked against the name.
 *
 * @throws OutboundError `forbidden` or `unresolved`
 */
export async function checkedTarget(
	target: URL,
	{ resolve, isAllowed }: OutboundRule,
	signal: AbortSignal,
): Promise<RequestOptions> {
	if (target.protocol !== "https:") throw new OutboundError("forbidden", "the URL is not https");
	const addresses = await checkedAddresses(target.hostname, { resolve, isAllowed }, signal);
	const hostname = target.hostname.replace(/^\[(.*)\]$|\.$/, "$1");
	const isLiteral = isIP(hostname) !== 0;
	return {
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

async function checkedAddresses(
	hostname: string,
	{ resolve, isAllowed }: OutboundRule,
	signal: AbortSignal,
): Promise<readonly IpAddress[]> {
	const literal = parseIp(hostname.replace(/^\[(.*)\]$/, "$1"));
	const texts = literal === undefined ? await resolve(hostname, signal) : [literal.text];
	const addresses = texts.map(parseIp).filter((address) => address !== undefined);
	// Not one bad address among good ones: whoever answers with both wants us to try both.
	if (addresses.length < texts.length || addresses.length === 0 || !addresses.every(isAllowed)) {
		throw new OutboundError("forbidden", "the host leads to an address that is not on the public Internet");
	}
	return addresses;
}

function lookupIn(addresses: readonly IpAddress[]): LookupFunction {
	const found = addresses.map(({ text, words }) => ({ address: text, family: words.length === 2 ? 4 : 6 }));
	return (_hostname, { all }, callback) => {
		const [first] = found;
		if (all === true || first === undefined) callback(null, found);
		else callback(null, first.address, first.family);
	};
}

const CODES: Readonly<Record<string, string>> = {
	ECONNREFUSED: "the connection was refused",
	ECONNRESET: "the connection was cut",
	ENETUNREACH: "the host cannot be reached",
	EHOSTUNREACH: "the host cannot be reached",
	ETIMEDOUT: "the connection timed out",
};

/** What a request failed with, in words of ours: Node's name the address. */
export function outboundError(error: unknown): OutboundError {
	if (error instanceof OutboundError) return error;
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const message = CODES[code] ?? (code === "" ? "the request failed" : `the request failed (${code})`);
	return new OutboundError("failed", message, { cause: error });
}
