// Removes the oldest events of a trail and writes signed checkpoints instead.

import type { SigningKey } from "../../../crypto/signing-key.ts";
import type { AuditEvent, AuditLog, Checkpoint } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { isoTime } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";
import { issueCheckpoint } from "./checkpoint.ts";

type Needed = Needs<"audit" | "checkpoints", "clock"> & {
	/** Signs the checkpoints. */
	readonly key: SigningKey;
};

export interface PrunedEvents {
	readonly checkpoint: Checkpoint;
	/** How many it covers that the checkpoint before does not. */
	readonly events: number;
}

/** Events removed in one transaction, few enough not to delay a running service. */
const CHUNK = 5_000;
/**
 * Removes the oldest events up to the first that is not older than `beforeMs`. Each chunk is one transaction with a
 * checkpoint, the removal, and an `audit.pruned` event, so an interrupted run leaves an intact trail. Call `verifyChain`
 * first: a checkpoint confirms the events that it covers.
 *
 * @returns how many events were removed.
 */
export async function pruneTrail(
	{ db, clock, key }: Needed,
	caller: Caller,
	beforeMs: number,
): Promise<number> {
	const { tenantId } = caller;
	let removed = 0;
	for (;;) {
		const begin = (await db.stores.checkpoints.findNewest(tenantId))?.sequence ?? 0;
		const events = await db.stores.audit.listChain(tenantId, begin, CHUNK);
		const old = leadingBefore(events, beforeMs);
		const last = old.at(-1);
		if (last === undefined) return removed;
		const checkpoint = await issueCheckpoint(key, tenantId, last, clock());
		removed += await pruneChunk(db, checkpoint, caller, beforeMs);
		if (old.length < CHUNK) return removed;
	}
}

/** In the order of the chain: an event with a later time also keeps the events after it. */
function leadingBefore(events: readonly AuditEvent[], beforeMs: number): readonly AuditEvent[] {
	const end = events.findIndex(({ atMs }) => atMs >= beforeMs);
	return end === -1 ? events : events.slice(0, end);
}

function pruneChunk(
	db: Needed["db"],
	checkpoint: Checkpoint,
	caller: Caller,
	beforeMs: number,
): Promise<number> {
	return db.transaction(async ({ audit, checkpoints }) => {
		const removed = await checkpoints.prune(checkpoint);
		// Another process has already pruned these events.
		if (removed === undefined) return 0;
		await appendPruned(audit, caller, beforeMs, { checkpoint, events: removed });
		return removed;
	});
}

/** Records that a checkpoint replaced events. */
export function appendPruned(
	audit: AuditLog,
	caller: Caller,
	beforeMs: number,
	{ checkpoint, events }: PrunedEvents,
): Promise<void> {
	const details = { before: isoTime(beforeMs), up_to_sequence: checkpoint.sequence, events };
	return audit.append(caller, "audit.pruned", "", details);
}
