// Buffers the requests of directories with their responses, and writes them in batches.

import type { DirectoryEvent } from "../../../domain/directory.ts";
import type { Db } from "../../../domain/stores.ts";
import { WriteBehind } from "../../../kernel/write-behind.ts";

/** Each has at most 4 KiB of texts. */
const EVENTS_MAX = 2_000;

/** Must be fast: only buffers. */
export interface DirectoryEventRecorder {
	record(event: DirectoryEvent): void;
}

export function createDirectoryEventRecorder(
	db: Db<"directories">,
): DirectoryEventRecorder & { readonly buffer: WriteBehind<DirectoryEvent> } {
	const buffer = new WriteBehind<DirectoryEvent>({
		name: "directory_events",
		max: EVENTS_MAX,
		merge: (earlier) => earlier,
		write: (events) => db.transaction(({ directories }) => directories.addEvents(events)),
	});
	return { record: (event) => buffer.record(event.id, event), buffer };
}
