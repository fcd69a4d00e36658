// Remembers when and from where clients call, and writes it down now and then: not one write a request.

import type { Persistence } from "../../kernel/transaction.ts";
import type { AllowlistMiss, AllowlistMissStore, ApiClientStore } from "../api-clients/model.ts";
import type { UseRecorder } from "./model.ts";

/** Addresses off an allowlist remembered between two flushes, over all clients; more are not counted. */
const MISSES_REMEMBERED = 10_000;

type Miss = AllowlistMiss & { readonly clientId: string };

/** `flush` writes what was noted since the last; what a crash loses is a few seconds of `last_used_at` and of counts. */
export function createUseRecorder(
	db: Persistence<{ apiClients: ApiClientStore; allowlistMisses: AllowlistMissStore }>,
): UseRecorder & { flush(): Promise<void> } {
	let noted = new Map<string, { id: string; atMs: number; ip: string }>();
	let missed = new Map<string, Miss>();
	return {
		note(clientId, atMs, ip, missedAllowlist) {
			noted.set(clientId, { id: clientId, atMs, ip });
			if (missedAllowlist) countMiss(missed, clientId, atMs, ip);
		},
		async flush() {
			if (noted.size === 0) return;
			const [uses, misses] = [noted, missed];
			noted = new Map();
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
	if (before === undefined && missed.size >= MISSES_REMEMBERED) return;
	missed.set(key, {
		clientId,
		ip,
		requests: (before?.requests ?? 0) + 1,
		firstSeenAtMs: before?.firstSeenAtMs ?? atMs,
		lastSeenAtMs: atMs,
	});
}
