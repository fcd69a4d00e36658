// Records when and from where clients call, and writes these uses in batches.

import type { AllowlistMiss } from "../../../domain/allowlist.ts";
import type { UseRecorder } from "../../../domain/signing-client.ts";
import type { Db } from "../../../domain/stores.ts";

/** The maximum of allowlist misses between two flushes, over all clients; further ones are not counted. */
const MISSES_MAX = 10_000;

type Miss = AllowlistMiss & { readonly clientId: string };

/** `flush` writes what was recorded since the last flush. A crash loses a few seconds of `last_used_at` and counts. */
export function createUseRecorder(
	db: Db<"apiClients" | "allowlistMisses">,
): UseRecorder & { flush(): Promise<void> } {
	let lastUses = new Map<string, { id: string; atMs: number; ip: string }>();
	let missed = new Map<string, Miss>();
	return {
		record(clientId, atMs, ip, missedAllowlist) {
			lastUses.set(clientId, { id: clientId, atMs, ip });
			if (missedAllowlist) countMiss(missed, clientId, atMs, ip);
		},
		async flush() {
			if (lastUses.size === 0) return;
			const [uses, misses] = [lastUses, missed];
			lastUses = new Map();
			missed = new Map();
			await db.transaction(async ({ apiClients, allowlistMisses }) => {
				await apiClients.noteUse([...uses.values()]);
				await allowlistMisses.add([...misses.values()]);
			});
		},
	};
}

function countMiss(missed: Map<string, Miss>, clientId: string, atMs: number, ip: string): void {
	const key = `${clientId} ${ip}`;
	const before = missed.get(key);
	if (before === undefined && missed.size >= MISSES_MAX) return;
	missed.set(key, {
		clientId,
		ip,
		requests: (before?.requests ?? 0) + 1,
		firstSeenAtMs: before?.firstSeenAtMs ?? atMs,
		lastSeenAtMs: atMs,
	});
}
