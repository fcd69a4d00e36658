// Removes the oldest events of a trail, and leaves signed checkpoints in their place.

import type { SigningKey } from "../../crypto/signing-key.ts";
import { type Clock, isoTime } from "../../kernel/clock.ts";
import { SYSTEM_ORIGIN } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { issueCheckpoint } from "./checkpoint.ts";
import type { AuditEvent, AuditLog, AuditTrail, Checkpoint, CheckpointStore } from "./model.ts";

export interface PruneTrailDeps {
	readonly db: Persistence<{ audit: AuditLog & AuditTrail; checkpoints: CheckpointStore }>;
	readonly clock: Clock;
	/** The one that signs. */
	readonly key: SigningKey;
}

/** Removed in one transaction: a service beside us waits no longer than that. */
const CHUNK = 5_000;

/**
 * Removes the events from the oldest on, up to the first that is not older than `beforeMs`. Each chunk is one
 * transaction: checkpoint, removal, and an `audit.pruned` entry; cut short, the trail is whole at every moment. Prune
 * only what `verifyChain` found whole: a checkpoint vouches for what it covers.
 *
 * @returns how many events were removed.
 */
export async function pruneTrail(
	{ db, clock, key }: PruneTrailDeps,
	tenantId: string,
	beforeMs: number,
): Promise<number> {
	let removed = 0;
	for (;;) {
		const begin = (await db.stores.checkpoints.findNewest(tenantId))?.sequence ?? 0;
		const events = await db.stores.audit.listChain(tenantId, begin, CHUNK);
		const old = leadingBefore(events, beforeMs);
		const last = old.at(-1);
		if (last === undefined) return removed;
		const checkpoint = await issueCheckpoint(key, tenantId, last, clock());
		removed += await pruneChunk(db, checkpoint, beforeMs);
		if (old.length < CHUNK) return removed;
	}
}

/** In the order of the chain: an event whose clock was ahead keeps those after it. */
function leadingBefore(events: readonly AuditEvent[], beforeMs: number): readonly AuditEvent[] {
	const end = events.findIndex(({ atMs }) => atMs >= beforeMs);
	return end === -1 ? events : events.slice(0, end);
}

function pruneChunk(db: PruneTrailDeps["db"], checkpoint: Checkpoint, beforeMs: number): Promise<number> {
	const { tenantId, sequence } = checkpoint;
	return db.transaction(async ({ audit, checkpoints }) => {
		const removed = await checkpoints.prune(checkpoint);
		// Somebody else just did the same.
		if (removed === undefined) return 0;
		await audit.append({
			tenantId,
			actor: "system",
			action: "audit.pruned",
			target: "",
			origin: SYSTEM_ORIGIN,
			details: { before: isoTime(beforeMs), up_to_sequence: sequence, events: removed },
		});
		return removed;
	});
}
