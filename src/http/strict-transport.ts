// HTTP Strict Transport Security (RFC 6797): browsers that were here once come back over HTTPS only.

import { addressOfHost } from "../kernel/address-rule.ts";
import type { Incoming } from "./incoming.ts";

/** A year. Neither other hosts of the domain nor the preload list: those are not the service's to decide. */
const VALUE = "max-age=31536000";

/**
 * The value of `Strict-Transport-Security` for the answer to a request, undefined where it must not be sent. It binds a
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
		return hosts.includes(host.toLowerCase()) ? VALUE : undefined;
	};
}
