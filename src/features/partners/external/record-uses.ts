// Buffers when and from where API clients call, and the IP addresses that an allowlist in report mode would refuse.

import type { AllowlistMiss } from "../../../domain/allowlist.ts";
import type { ApiClientUse } from "../../../domain/api-client.ts";
import type { UseRecorder } from "../../../domain/signing-client.ts";
import type { Db } from "../../../domain/stores.ts";
import { WriteBehind } from "../../../kernel/write-behind.ts";

const CLIENTS_MAX = 50_000;
/** Pairs of a client and an IP address. */
const MISSES_MAX = 10_000;

type Miss = AllowlistMiss & { readonly clientId: string };

export function createUseRecorder(
	db: Db<"apiClients" | "allowlistMisses">,
): UseRecorder & { readonly buffers: readonly [WriteBehind<ApiClientUse>, WriteBehind<Miss>] } {
	const uses = new WriteBehind<ApiClientUse>({
		name: "api_client_uses",
		max: CLIENTS_MAX,
		merge: (_, later) => later,
		write: (entries) => db.transaction(({ apiClients }) => apiClients.noteUse(entries)),
	});
	const misses = new WriteBehind<Miss>({
		name: "allowlist_misses",
		max: MISSES_MAX,
		merge: (earlier, later) => ({
			...later,
			requests: earlier.requests + later.requests,
			firstSeenAtMs: earlier.firstSeenAtMs,
		}),
		write: (entries) => db.transaction(({ allowlistMisses }) => allowlistMisses.add(entries)),
	});
	return {
		record(clientId, atMs, ip, missedAllowlist) {
			uses.record(clientId, { id: clientId, atMs, ip });
			if (!missedAllowlist) return;
			const miss = { clientId, ip, requests: 1, firstSeenAtMs: atMs, lastSeenAtMs: atMs };
			misses.record(`${clientId} ${ip}`, miss);
		},
		buffers: [uses, misses],
	};
}
