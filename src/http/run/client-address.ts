// Determines the client address and scheme of a request. Only a trusted proxy may override the socket.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type Cidr, type IpAddress, ipInList, parseIp } from "../../kernel/ip.ts";

export interface ClientAddress {
	/** Canonical text of the client address. */
	readonly ip: string;
	readonly scheme: "http" | "https";
	/** Whether the client is known to use plain HTTP. False when a trusted proxy names no scheme. */
	readonly isClearText: boolean;
	/** Whether the peer of the socket is a trusted proxy. */
	readonly proxied: boolean;
}

/**
 * The socket's address and scheme, unless its peer is in `trustedProxies`: then the right-most untrusted entry
 * of `X-Forwarded-For` and the last entry of `X-Forwarded-Proto`. An entry that cannot be parsed invalidates the whole
 * header, and the socket's address is used (compare authentik CVE-2024-47070). Undefined when the peer has
 * disconnected: no limit or allowlist can be applied without an IP address.
 */
export function clientAddress(
	message: IncomingMessage,
	trustedProxies: readonly Cidr[],
): ClientAddress | undefined {
	const socketScheme = "encrypted" in message.socket ? "https" : "http";
	const peer = peerAddress(message.socket);
	if (peer === undefined) return undefined;
	if (trustedProxies.length === 0 || !ipInList(trustedProxies, peer))
		return { ip: peer.text, scheme: socketScheme, isClearText: socketScheme === "http", proxied: false };
	const proto = forwardedProto(message);
	return {
		ip: forwardedFor(message, trustedProxies) ?? peer.text,
		scheme: proto ?? socketScheme,
		isClearText: proto === "http",
		proxied: true,
	};
}

/**
 * The remote address of a socket; undefined after it has disconnected. The zone of a link-local address
 * (`fe80::1%eth0`) is dropped: it names an interface of this machine (RFC 4007, section 11).
 */
export function peerAddress({ remoteAddress = "" }: Pick<Socket, "remoteAddress">): IpAddress | undefined {
	const zoneAt = remoteAddress.indexOf("%");
	return parseIp(zoneAt < 0 ? remoteAddress : remoteAddress.slice(0, zoneAt));
}

function forwardedFor(message: IncomingMessage, trustedProxies: readonly Cidr[]): string | undefined {
	const entries = entriesOf(message, "x-forwarded-for");
	let client: string | undefined;
	for (const entry of entries.toReversed()) {
		const address = parseIp(entry.trim());
		if (address === undefined) return undefined;
		client = address.text;
		if (!ipInList(trustedProxies, address)) break;
	}
	return client;
}

function forwardedProto(message: IncomingMessage): "http" | "https" | undefined {
	const last = entriesOf(message, "x-forwarded-proto").at(-1)?.trim().toLowerCase();
	return last === "http" || last === "https" ? last : undefined;
}

/** The combined list of all headers of this name (RFC 9110, section 5.3), untrimmed; one empty entry when absent. */
function entriesOf(message: IncomingMessage, name: string): string[] {
	return headerValues(message, name).join(",").split(",");
}

/**
 * Every value of a header, in the order sent; `name` in lower case. Reads the raw list: Node builds the object
 * `message.headers` only on first access.
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
	const values: string[] = [];
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const header = rawHeaders[index] as string;
		if (header.length === name.length && header.toLowerCase() === name)
			values.push(rawHeaders[index + 1] as string);
	}
	return values;
}
