// What an allowlist would have refused while it only reported, and what could be added to it.

import { type Cidr, ipInList, parseCidr, parseIp } from "../../kernel/ip.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import {
	type AllowlistMiss,
	type AllowlistMissStore,
	type ApiClient,
	type ApiClientStore,
	apiClientNotFound,
} from "./model.ts";
import { type ProposedCidr, proposeCidrs } from "./propose-cidrs.ts";

export interface ReportAllowlistDeps {
	readonly db: Persistence<{ apiClients: ApiClientStore; allowlistMisses: AllowlistMissStore }>;
}

export interface AllowlistReport {
	readonly client: ApiClient;
	/** Those the allowlist as it is now would still refuse. */
	readonly misses: readonly AllowlistMiss[];
	readonly proposals: readonly ProposedCidr[];
}

/** @throws AppError `api_client.not_found`. */
export async function reportAllowlist(
	{ db }: ReportAllowlistDeps,
	tenantId: string,
	id: string,
): Promise<AllowlistReport> {
	const client = await db.stores.apiClients.findById(tenantId, id);
	if (client === undefined) throw apiClientNotFound();
	const allowlist = client.ipAllowlist.map(parseCidr).filter((cidr): cidr is Cidr => !("error" in cidr));
	const counted = await db.stores.allowlistMisses.listAll(tenantId, id);
	const misses = allowlist.length === 0 ? [] : counted.filter(({ ip }) => isOff(allowlist, ip));
	return { client, misses, proposals: proposeCidrs(misses) };
}

function isOff(allowlist: readonly Cidr[], ip: string): boolean {
	const address = parseIp(ip);
	return address === undefined || !ipInList(allowlist, address);
}
