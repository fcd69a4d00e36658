// Buffers the last use of each admin key.

import type { KeyUse, KeyUseRecorder } from "../../../domain/admin-key.ts";
import type { Db } from "../../../domain/stores.ts";
import { WriteBehind } from "../../../kernel/write-behind.ts";

const KEYS_MAX = 10_000;

export function createKeyUseRecorder(
	db: Db<"adminKeys">,
): KeyUseRecorder & { readonly buffer: WriteBehind<KeyUse> } {
	const buffer = new WriteBehind<KeyUse>({
		name: "admin_key_uses",
		max: KEYS_MAX,
		merge: (_, later) => later,
		write: (uses) => db.transaction(({ adminKeys }) => adminKeys.noteUse(uses)),
	});
	return { note: (id, atMs, ip) => buffer.record(id, { id, atMs, ip }), buffer };
}
