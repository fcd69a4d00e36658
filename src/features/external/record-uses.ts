// Remembers when and from where clients call, and writes it down now and then: not one write a request.

import type { Persistence } from "../../kernel/transaction.ts";
import type { ApiClientStore } from "../api-clients/model.ts";
import type { UseRecorder } from "./model.ts";

/** `flush` writes what was noted since the last; what a crash loses is a few seconds of `last_used_at`. */
export function createUseRecorder(
	db: Persistence<{ apiClients: ApiClientStore }>,
): UseRecorder & { flush(): Promise<void> } {
	let noted = new Map<string, { id: string; atMs: number; ip: string }>();
	return {
		note(clientId, atMs, ip) {
			noted.set(clientId, { id: clientId, atMs, ip });
		},
		async flush() {
			if (noted.size === 0) return;
			const uses = noted;
			noted = new Map();
			await db.transaction(({ apiClients }) => apiClients.noteUse([...uses.values()]));
		},
	};
}
