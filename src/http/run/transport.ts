// Decides which requests must arrive over TLS, and which responses require it of browsers (HSTS).

import { addressOfHost } from "../../kernel/address-rule.ts";
import { AppError } from "../../kernel/error.ts";
import { type Cidr, ipInList, isThisMachine, parseIp } from "../../kernel/ip.ts";
import type { Incoming } from "./incoming.ts";

/**
 * `https`: HTTPS only. `confidential`: requests contain passwords, tokens, or Secrets, so plain HTTP is accepted only from
 * this machine and the networks that the operator allows. `peer`: as `confidential`, but the scheme that a trusted proxy
 * names is that of another request, and plain HTTP from the proxy itself is accepted. `any`: public data, plain HTTP
 * allowed.
 */
export type Transport = "https" | "confidential" | "peer" | "any";

/** @throws AppError `transport.https_required` (426) if the request must not arrive over plain HTTP. */
export function checkTransport(
	transport: Transport,
	request: Pick<Incoming, "scheme" | "isClearText" | "ip" | "proxied">,
	plainHttpNetworks: readonly Cidr[],
): void {
	if (transport === "https") requireHttps(request);
	else if (transport === "confidential" || (transport === "peer" && !request.proxied))
		requireConfidentiality(request, plainHttpNetworks);
}

/**
 * No redirect: the signature of the request would already have been sent in clear text.
 *
 * @throws AppError `transport.https_required` (426).
 */
export function requireHttps(request: Pick<Incoming, "scheme">, message = "open APIs require HTTPS"): void {
	if (request.scheme !== "https") throw httpsRequired(message);
}

/** Accepts requests from a trusted proxy that sends no scheme: the operator is responsible for the connection to it. */
function requireConfidentiality(
	{ isClearText, ip }: Pick<Incoming, "isClearText" | "ip">,
	networks: readonly Cidr[],
): void {
	if (!isClearText) return;
	const client = parseIp(ip);
	if (client !== undefined && (isThisMachine(client) || ipInList(networks, client))) return;
	throw httpsRequired("HTTPS is required: the API is not served over plain HTTP to other machines");
}

function httpsRequired(message: string): AppError {
	return new AppError("transport.https_required", message, {
		headers: { upgrade: "TLS/1.2, HTTP/1.1", connection: "Upgrade" },
	});
}

/** One year, without subdomains and without the preload list, which the service must not decide for its domain. */
const A_YEAR = "max-age=31536000";

/**
 * Returns the value of `Strict-Transport-Security` (RFC 6797) for the response to a request, or undefined if the header
 * must not be sent. After the first visit, browsers use HTTPS only. The header binds all ports of a host, so only the
 * host of `publicUrl` gets it, and only if it is a domain name without a port: neither an IP address nor `localhost`.
 */
export function strictTransport(publicUrl: string): (request: Incoming) => string | undefined {
	const { protocol, hostname, port } = new URL(publicUrl);
	if (protocol !== "https:" || port !== "" || addressOfHost(hostname) !== undefined) return () => undefined;
	const hosts = [hostname, `${hostname}:443`];
	return (request) => {
		if (request.scheme !== "https") return undefined;
		const [host = ""] = request.headerValues("host");
		return hosts.includes(host.toLowerCase()) ? A_YEAR : undefined;
	};
}
