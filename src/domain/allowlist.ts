// The IP allowlist of an API client, and the IP addresses that it would have refused in report mode.

import { type InvalidEntry, invalidEntries } from "../kernel/error.ts";
import { ipInList, parseCidr, parseIp, validCidr } from "../kernel/ip.ts";

/** `report` accepts and counts IP addresses that are not on the allowlist. */
export const ALLOWLIST_MODES = ["enforce", "report"] as const;
export type AllowlistMode = (typeof ALLOWLIST_MODES)[number];
export const ALLOWLIST_MAX = 100;
/** The maximum length of an IP address or CIDR, including unusual spellings. */
export const CIDR_TEXT_MAX = 64;
/** The maximum number of IP addresses counted per client in report mode. */
export const ALLOWLIST_MISSES_MAX = 1_000;

/**
 * Parses an `ip_allowlist` into canonical text, deduplicated, in the same order.
 *
 * @throws AppError `request.invalid`, with every invalid entry as `ip_allowlist.<index>`.
 */
export function parseAllowlist(texts: readonly string[]): string[] {
	const canonical = new Set<string>();
	const problems: InvalidEntry[] = [];
	for (const [index, text] of texts.entries()) {
		const cidr = parseCidr(text);
		if ("problem" in cidr) problems.push({ index, problem: cidr.problem });
		else canonical.add(cidr.text);
	}
	if (problems.length > 0) throw invalidEntries("ip_allowlist", problems);
	return [...canonical];
}

/** Whether an IP address is on an allowlist from `parseAllowlist`; an empty one allows every address. */
export function isOnAllowlist(entries: readonly string[], ip: string): boolean {
	if (entries.length === 0) return true;
	const address = parseIp(ip);
	return address !== undefined && ipInList(entries.map(validCidr), address);
}

/** An IP address that enforce mode would have refused. */
export interface AllowlistMiss {
	/** Canonical text. */
	readonly ip: string;
	readonly requests: number;
	readonly firstSeenAtMs: number;
	readonly lastSeenAtMs: number;
}

export interface AllowlistMissStore {
	/** Call inside a transaction. Ignores a client's addresses beyond `ALLOWLIST_MISSES_MAX`, and deleted clients. */
	add(misses: readonly (AllowlistMiss & { readonly clientId: string })[]): Promise<void>;
	/** Deletes the counts of a client of this tenant. */
	clear(tenantId: string, clientId: string): Promise<void>;
	/** All counts of a client of this tenant, most requests first. */
	listAll(tenantId: string, clientId: string): Promise<AllowlistMiss[]>;
}
