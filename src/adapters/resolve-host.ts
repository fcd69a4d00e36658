// Resolves host names outside the thread pool, so that a slow name server does not delay hashing or file access.

import { Resolver } from "node:dns/promises";
import { OutboundError, type ResolveHost } from "./outbound.ts";

const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * Queries the name servers of the system's configuration for A and AAAA records. `getaddrinfo` would hold one of the few
 * threads that hashing and files need until a dead server times out. Consequence: `/etc/hosts` and search domains are
 * ignored. `localhost` is always this machine (RFC 6761, section 6.3).
 *
 * @param servers name servers to query instead, `address:port`
 */
export function createHostResolver(servers?: readonly string[]): ResolveHost {
	return async (hostname, signal) => {
		const name = hostname.replace(/\.$/, "");
		if (name === "localhost" || name.endsWith(".localhost")) return LOOPBACK;
		signal.throwIfAborted();
		const resolver = new Resolver({ timeout: 1_500, tries: 2 });
		if (servers !== undefined) resolver.setServers(servers);
		const cancel = () => resolver.cancel();
		signal.addEventListener("abort", cancel, { once: true });
		try {
			const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
			const addresses = found.flatMap((response) => (response.status === "fulfilled" ? response.value : []));
			if (addresses.length > 0) return addresses;
		} finally {
			signal.removeEventListener("abort", cancel);
		}
		throw new OutboundError("unresolved", "the host name cannot be resolved");
	};
}
