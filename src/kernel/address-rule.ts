// Which IP addresses the service may call when others specify the host (a webhook, a provider): public ones, and the
// networks that the operator allows.

import { type Cidr, type IpAddress, ipInList, parseIp, validCidr } from "./ip.ts";

/**
 * Not public: the special-purpose registries (RFC 6890 and its updates), multicast, and one public address at which a
 * cloud serves its metadata.
 */
const FORBIDDEN_IPV4 = ranges(
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"168.63.129.16",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/4",
	"240.0.0.0/4",
);
/** Global unicast. Excludes loopback, link-local, unique local, multicast, NAT64, and IPv4 inside IPv6. */
const PUBLIC_IPV6 = ranges("2000::/3");
/** Within global unicast, but not public: Teredo and its neighbors, documentation, 6to4. */
const FORBIDDEN_IPV6 = ranges("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

/** Returns whether the service may connect to an IP address. `allowed` permits networks that are otherwise refused. */
export function createAddressRule(allowed: readonly Cidr[]): (ip: IpAddress) => boolean {
	return (ip) => isPublic(ip) || ipInList(allowed, ip);
}

/** The IP address of a URL's `hostname` that needs no DNS query: a literal, or `localhost` (RFC 6761, section 6.3). */
export function addressOfHost(hostname: string): IpAddress | undefined {
	const name = hostname.replace(/\.$/, "");
	if (name === "localhost" || name.endsWith(".localhost")) return parseIp("127.0.0.1");
	return parseIp(hostname.replace(/^\[(.*)\]$/, "$1"));
}

/** `parseIp` converts IPv4-mapped addresses to IPv4. */
function isPublic(ip: IpAddress): boolean {
	if (ip.words.length === 2) return !ipInList(FORBIDDEN_IPV4, ip);
	return ipInList(PUBLIC_IPV6, ip) && !ipInList(FORBIDDEN_IPV6, ip);
}

function ranges(...texts: string[]): Cidr[] {
	return texts.map(validCidr);
}
