// Reports the IP addresses that an allowlist in report mode would have refused, and proposes entries for them.

import { ALLOWLIST_MAX, type AllowlistMiss } from "../../../domain/allowlist.ts";
import { type ApiClient, getApiClient } from "../../../domain/api-client.ts";
import {
	type Cidr,
	cidrAround,
	cidrContains,
	type IpAddress,
	ipInList,
	parseCidr,
	parseIp,
} from "../../../kernel/ip.ts";
import type { Needs } from "../../platform.ts";

interface AllowlistReport {
	readonly client: ApiClient;
	/** IP addresses that the current allowlist would still refuse. */
	readonly misses: readonly AllowlistMiss[];
	readonly proposals: readonly ProposedCidr[];
}

/** @throws AppError `api_client.not_found`. */
export async function reportAllowlist(
	{ db }: Needs<"apiClients" | "allowlistMisses">,
	tenantId: string,
	id: string,
): Promise<AllowlistReport> {
	const client = await getApiClient(db.stores.apiClients, tenantId, id);
	const allowlist = client.ipAllowlist.map(parseCidr).filter((cidr): cidr is Cidr => !("problem" in cidr));
	const counted = await db.stores.allowlistMisses.listAll(tenantId, id);
	const misses = allowlist.length === 0 ? [] : counted.filter(({ ip }) => !isListed(allowlist, ip));
	return { client, misses, proposals: proposeCidrs(misses) };
}

function isListed(allowlist: readonly Cidr[], ip: string): boolean {
	const address = parseIp(ip);
	return address !== undefined && ipInList(allowlist, address);
}

/** A proposed entry, how many addresses it covers, and how many requests came from them. */
interface ProposedCidr {
	readonly cidr: string;
	readonly addresses: number;
	readonly requests: number;
}

/** The prefix length of the widest proposed range, one network of a site. A wider range would admit other sites. */
const SITE_BITS = { ipv4: 24, ipv6: 64 } as const;
/** With at least this many addresses from one site, propose a range, because more addresses are likely. */
const IPV4_SITE_FROM = 3;
const IPV6_SITE_FROM = 2;

/**
 * Proposes single addresses; for three or more IPv4 addresses of one /24 the smallest range that covers them; for two
 * or more IPv6 addresses of one /64 the /64, because hosts change addresses within it. At most `ALLOWLIST_MAX`, most
 * requests first.
 */
export function proposeCidrs(misses: readonly AllowlistMiss[]): ProposedCidr[] {
	const sites = new Map<string, { ip: IpAddress; requests: number }[]>();
	for (const { ip, requests } of misses) {
		const address = parseIp(ip);
		if (address === undefined) continue;
		const { text } = cidrAround(address, isIpv4(address) ? SITE_BITS.ipv4 : SITE_BITS.ipv6);
		const site = sites.get(text) ?? [];
		site.push({ ip: address, requests });
		sites.set(text, site);
	}
	return [...sites.values()]
		.flatMap(proposalsFor)
		.toSorted((one, other) => other.requests - one.requests || (one.cidr < other.cidr ? -1 : 1))
		.slice(0, ALLOWLIST_MAX);
}

type Seen = readonly { readonly ip: IpAddress; readonly requests: number }[];

function proposalsFor(site: Seen): ProposedCidr[] {
	const first = site[0]?.ip;
	if (first === undefined) return [];
	const together = site.length >= (isIpv4(first) ? IPV4_SITE_FROM : IPV6_SITE_FROM);
	if (!together) return site.map(({ ip, requests }) => ({ cidr: ip.text, addresses: 1, requests }));
	const range = isIpv4(first) ? smallestRange(first, site) : cidrAround(first, SITE_BITS.ipv6);
	const requests = site.reduce((sum, seen) => sum + seen.requests, 0);
	return [{ cidr: range.text, addresses: site.length, requests }];
}

function smallestRange(first: IpAddress, site: Seen): Cidr {
	for (let bits = 32; bits > SITE_BITS.ipv4; bits--) {
		const range = cidrAround(first, bits);
		if (site.every(({ ip }) => cidrContains(range, ip))) return range;
	}
	return cidrAround(first, SITE_BITS.ipv4);
}

function isIpv4(ip: IpAddress): boolean {
	return ip.words.length === 2;
}
