// Which requests must arrive over TLS, and which answers tell browsers so.

import { addressOfHost } from "../kernel/address-rule.ts";
import { AppError } from "../kernel/error.ts";
import { type Cidr, ipInList, isThisMachine, parseIp } from "../kernel/ip.ts";
import type { Incoming } from "./incoming.ts";

/**
 * `https`: over HTTPS only. `confidential`: plain HTTP only from this machine and the networks the operator names,
 * since passwords, tokens or Secrets are sent. `any`: public data, plain HTTP allowed.
 */
export type Transport = "https" | "confidential" | "any";

/** @throws AppError `transport.https_required` (426) when the request may not arrive the way it did. */
export function checkTransport(
	transport: Transport,
	request: Pick<Incoming, "scheme" | "isClearText" | "ip">,
	plainHttpNetworks: readonly Cidr[],
): void {
	if (transport === "https") requireHttps(request);
	else if (transport === "confidential") requireConfidentiality(request, plainHttpNetworks);
}

/**
 * No redirect: the signature of the request would already have been sent in clear text.
 *
 * @throws AppError `transport.https_required` (426).
 */
export function requireHttps(request: Pick<Incoming, "scheme">, message = "open APIs require HTTPS"): void {
	if (request.scheme !== "https") throw httpsRequired(message);
}

/** Accepts a trusted proxy that names no scheme: the operator is responsible for the link behind it. */
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

/** Of `Strict-Transport-Security`: a year. Neither other hosts of the domain nor the preload list: those are not the service's to decide. */
const A_YEAR = "max-age=31536000";

/**
 * HTTP Strict Transport Security (RFC 6797): browsers that were here once come back over HTTPS only. The value of `Strict-Transport-Security` for the answer to a request, undefined where it must not be sent. It binds a
 * whole host on all ports, so only the host of `publicUrl` gets it, and only if that is a name of its own: no address,
 * not `localhost`, no port.
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
