// Reports the addresses an allowlist in report mode would have refused, and proposes entries for them.

import type { AllowlistMiss } from "../../../domain/allowlist.ts";
import type { ApiClient } from "../../../domain/api-client.ts";
import { type Cidr, ipInList, parseCidr, parseIp } from "../../../kernel/ip.ts";
import type { Needs } from "../../platform.ts";
import { getApiClient } from "./manage-api-client.ts";
import { type ProposedCidr, proposeCidrs } from "./propose-cidrs.ts";

export interface AllowlistReport {
	readonly client: ApiClient;
	/** Addresses the current allowlist would still refuse. */
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
	const allowlist = client.ipAllowlist.map(parseCidr).filter((cidr): cidr is Cidr => !("error" in cidr));
	const counted = await db.stores.allowlistMisses.listAll(tenantId, id);
	const misses = allowlist.length === 0 ? [] : counted.filter(({ ip }) => !isListed(allowlist, ip));
	return { client, misses, proposals: proposeCidrs(misses) };
}

function isListed(allowlist: readonly Cidr[], ip: string): boolean {
	const address = parseIp(ip);
	return address !== undefined && ipInList(allowlist, address);
}
