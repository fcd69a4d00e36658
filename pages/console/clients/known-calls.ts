// The known IP addresses of recent calls. The API does not store every accepted call.

import type { Schemas } from "../../api/routes.ts";
import { NO_CALLER, type Refusal } from "../refusals/refusal.ts";
import type { ApiClient } from "./client-record.ts";

export interface KnownCall {
	readonly ip: string;
	readonly at: string;
	/** Accepted last; accepted from outside the list in report mode; refused with a valid signature. */
	readonly kind: "accepted" | "reported" | "refused";
	readonly calls: number;
}

/** One row per address, latest first. Calls without a valid signature are ignored, because anyone can send them. */
export function knownCalls(
	client: Pick<ApiClient, "last_used_at" | "last_used_ip">,
	reported: Schemas["AllowlistReport"]["addresses"],
	refused: readonly Refusal[],
): KnownCall[] {
	const byAddress = new Map<string, KnownCall>();
	for (const { ip, at, caller } of refused) {
		if (caller === NO_CALLER) continue;
		const before = byAddress.get(ip);
		byAddress.set(ip, { ip, at: before?.at ?? at, kind: "refused", calls: (before?.calls ?? 0) + 1 });
	}
	for (const { ip, requests, last_seen_at: at } of reported)
		byAddress.set(ip, { ip, at, kind: "reported", calls: requests });
	if (client.last_used_at !== null) {
		const { last_used_ip: ip, last_used_at: at } = client;
		byAddress.set(ip, { ip, at, kind: "accepted", calls: byAddress.get(ip)?.calls ?? 1 });
	}
	return [...byAddress.values()].sort((a, b) => (a.at < b.at ? 1 : -1));
}
