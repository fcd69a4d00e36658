// Buffers the last sign-in to each application and writes it periodically.

import type { ApplicationSignIns } from "../../../domain/application.ts";
import type { Db } from "../../../domain/stores.ts";

/** `flush` writes the sign-ins since the previous flush. A crash loses a few seconds of `last_sign_in_at`. */
export function createSignInRecorder(
	db: Db<"applications">,
): ApplicationSignIns & { flush(): Promise<void> } {
	let lastSignIns = new Map<string, number>();
	return {
		note(appId, atMs) {
			lastSignIns.set(appId, atMs);
		},
		async flush() {
			if (lastSignIns.size === 0) return;
			const signIns = lastSignIns;
			lastSignIns = new Map();
			await db.transaction(({ applications }) => applications.noteSignIns(signIns));
		},
	};
}
