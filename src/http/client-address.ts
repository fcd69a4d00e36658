// Whose request is this, and did it come over TLS? Only a trusted proxy may say otherwise than the socket.

import type { IncomingMessage } from "node:http";
import { type Cidr, ipInList, parseIp } from "../kernel/ip.ts";
import { sentValues } from "./incoming.ts";

export interface ClientAddress {
	/** Canonical text of the client address. */
	readonly ip: string;
	readonly scheme: "http" | "https";
	/** Whether the other end of the socket is a proxy that may speak for its clients. */
	readonly proxied: boolean;
}

/**
 * The socket's address and scheme, unless its peer is in `trustedProxies`: then the right-most untrusted entry
 * of `X-Forwarded-For` and the last of `X-Forwarded-Proto`. An entry that cannot be parsed makes the whole
 * header worthless (facts: authentik CVE-2024-47070), and the socket counts.
 */
export function clientAddress(message: IncomingMessage, trustedProxies: readonly Cidr[]): ClientAddress {
	const socketScheme = "encrypted" in message.socket ? "https" : "http";
	const peer = parseIp(message.socket.remoteAddress ?? "");
	// A socket that is gone has no address; nobody will read the answer.
	if (peer === undefined) return { ip: "0.0.0.0", scheme: socketScheme, proxied: false };
	if (trustedProxies.length === 0 || !ipInList(trustedProxies, peer))
		return { ip: peer.text, scheme: socketScheme, proxied: false };
	return {
		ip: forwardedFor(message, trustedProxies) ?? peer.text,
		scheme: forwardedProto(message) ?? socketScheme,
		proxied: true,
	};
}

function forwardedFor(message: IncomingMessage, trustedProxies: readonly Cidr[]): string | undefined {
	const entries = entriesOf(message, "x-forwarded-for");
	let client: string | undefined;
	for (let index = entries.length - 1; index >= 0; index--) {
		const address = parseIp((entries[index] as string).trim());
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

/** The list over all headers of the name (RFC 9110, section 5.3), untrimmed; one empty entry when there is none. */
function entriesOf(message: IncomingMessage, name: string): string[] {
	return sentValues(message, name).join(",").split(",");
}
