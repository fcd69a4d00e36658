// Whose request is this, and did it come over TLS? Only a trusted proxy may say otherwise than the socket.

import type { IncomingMessage } from "node:http";
import { type Cidr, type IpAddress, ipInList, parseIp } from "../kernel/ip.ts";

export interface ClientAddress {
	/** Canonical text of the client address. */
	readonly ip: string;
	readonly scheme: "http" | "https";
}

/**
 * The socket's address and scheme, unless its peer is in `trustedProxies`: then the right-most untrusted entry
 * of `X-Forwarded-For` and the last of `X-Forwarded-Proto`. An entry that cannot be parsed makes the whole
 * header worthless (facts: authentik CVE-2024-47070), and the socket counts.
 */
export function clientAddress(message: IncomingMessage, trustedProxies: readonly Cidr[]): ClientAddress {
	const socketScheme = "encrypted" in message.socket ? "https" : "http";
	const peer = peerOf(message);
	// A socket that is gone has no address; nobody will read the answer.
	if (peer === undefined) return { ip: "0.0.0.0", scheme: socketScheme };
	if (!isTrusted(peer, trustedProxies)) return { ip: peer.text, scheme: socketScheme };
	return {
		ip: forwardedFor(message, trustedProxies) ?? peer.text,
		scheme: forwardedProto(message) ?? socketScheme,
	};
}

/** Whether the other end of the socket is a proxy that may speak for its clients. */
export function isFromTrustedProxy(message: IncomingMessage, trustedProxies: readonly Cidr[]): boolean {
	const peer = trustedProxies.length === 0 ? undefined : peerOf(message);
	return peer !== undefined && isTrusted(peer, trustedProxies);
}

function peerOf(message: IncomingMessage): IpAddress | undefined {
	return parseIp(message.socket.remoteAddress ?? "");
}

function isTrusted(peer: IpAddress, trustedProxies: readonly Cidr[]): boolean {
	return trustedProxies.length > 0 && ipInList(trustedProxies, peer);
}

function forwardedFor(message: IncomingMessage, trustedProxies: readonly Cidr[]): string | undefined {
	const entries = lastValues(message, "x-forwarded-for");
	let client: string | undefined;
	for (const entry of entries.reverse()) {
		const address = parseIp(entry);
		if (address === undefined) return undefined;
		client = address.text;
		if (!ipInList(trustedProxies, address)) break;
	}
	return client;
}

function forwardedProto(message: IncomingMessage): "http" | "https" | undefined {
	const last = lastValues(message, "x-forwarded-proto").at(-1)?.toLowerCase();
	return last === "http" || last === "https" ? last : undefined;
}

function lastValues(message: IncomingMessage, name: string): string[] {
	const header = message.headers[name];
	const text = Array.isArray(header) ? header.join(",") : header;
	return text === undefined ? [] : text.split(",").map((entry) => entry.trim());
}
