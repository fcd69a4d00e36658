// Buffers the last use of each admin key and writes it periodically.

import type { KeyUseRecorder } from "../../../domain/admin-key.ts";
import type { Db } from "../../../domain/stores.ts";

/** `flush` writes the uses since the previous flush. A crash loses a few seconds of `last_used_at`. */
export function createKeyUseRecorder(db: Db<"adminKeys">): KeyUseRecorder & { flush(): Promise<void> } {
	let lastUses = new Map<string, { id: string; atMs: number; ip: string }>();
	return {
		note(keyId, atMs, ip) {
			lastUses.set(keyId, { id: keyId, atMs, ip });
		},
		async flush() {
			if (lastUses.size === 0) return;
			const uses = lastUses;
			lastUses = new Map();
			await db.transaction(({ adminKeys }) => adminKeys.noteUse([...uses.values()]));
		},
	};
}
