// Drops the oldest months of all trails, on an engine that keeps each in a table of its own.

import { setTimeout } from "node:timers/promises";
import type { SigningKey } from "../../../crypto/signing-key.ts";
import type { AuditMonth } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { issueCheckpoint } from "./checkpoint.ts";
import { appendPruned, type PrunedEvents } from "./prune-trail.ts";

type Needed = Needs<"audit" | "checkpoints" | "tenants", "clock"> & {
	/** Signs the checkpoints. */
	readonly key: SigningKey;
};

/** A month whose table is in use is tried again: each time, appends wait for up to half a second. */
const ATTEMPTS = 10;
const PAUSE_MS = 1_000;

/** The callers of the events, by the id of their tenant. */
export type CallerOf = (tenantId: string) => Caller;

/**
 * Drops the oldest whole months of all trails, on an engine that keeps each in a table of its own. Each month is one transaction
 * with a checkpoint and an `audit.pruned` event for every trail. Leaves what `pruneTrail` has to remove: the rest of a month,
 * and all from a month on in which a trail has an event that follows a later one.
 *
 * @returns how many events were removed, by tenant.
 * @throws AppError `service.unavailable` when the table stays in use, such as by a backup.
 */
export async function pruneMonths(
	{ db, clock, key }: Needed,
	callerOf: CallerOf,
	beforeMs: number,
): Promise<ReadonlyMap<string, number>> {
	const removed = new Map<string, number>();
	for (let attempt = 1; ; ) {
		const month = await db.stores.checkpoints.findOldestMonth();
		if (month === undefined || month.toMs > beforeMs) return removed;
		const ends = await endsOf({ db, clock, key }, month);
		const outcome = await dropMonth(db, month, ends, callerOf);
		if (outcome === "kept") return removed;
		if (outcome === "dropped") {
			for (const { checkpoint, events } of ends)
				removed.set(checkpoint.tenantId, (removed.get(checkpoint.tenantId) ?? 0) + events);
			attempt = 1;
		} else if (attempt++ < ATTEMPTS) await setTimeout(PAUSE_MS);
		else
			throw new AppError(
				"service.unavailable",
				"the audit trail is in use, such as by a backup: run the command again later",
			);
	}
}

/** Signs where the trails begin without the month. */
async function endsOf({ db, clock, key }: Needed, { toMs }: AuditMonth): Promise<readonly PrunedEvents[]> {
	const { checkpoints, tenants } = db.stores;
	const ends: PrunedEvents[] = [];
	for (const { id } of await tenants.listAll()) {
		const begin = (await checkpoints.findNewest(id))?.sequence ?? 0;
		const last = await checkpoints.findLastBefore(id, toMs);
		if (last === undefined || last.sequence <= begin) continue;
		const checkpoint = await issueCheckpoint(key, id, last, clock());
		ends.push({ checkpoint, events: last.sequence - begin });
	}
	return ends;
}

function dropMonth(
	db: Needed["db"],
	month: AuditMonth,
	ends: readonly PrunedEvents[],
	callerOf: CallerOf,
): Promise<"dropped" | "busy" | "kept"> {
	return db.transaction(async ({ audit, checkpoints }) => {
		const outcome = await checkpoints.dropMonth(
			month,
			ends.map(({ checkpoint }) => checkpoint),
		);
		if (outcome !== "dropped") return outcome;
		for (const { checkpoint, events } of ends)
			await appendPruned(audit, callerOf(checkpoint.tenantId), month.toMs, { checkpoint, events });
		return outcome;
	});
}
