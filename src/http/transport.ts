// Which requests must arrive over TLS.

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
export function requireHttps(request: Pick<Incoming, "scheme">): void {
	if (request.scheme !== "https") throw httpsRequired("open APIs require HTTPS");
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
