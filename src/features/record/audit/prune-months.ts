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

/** A month whose table is in use is tried again: each time, appends wait for a moment. */
const ATTEMPTS = 20;
const PAUSE_MS = 500;
/** Trails whose ends are locked at the same time. */
const BATCH = 50;

/** The callers of the events, by the id of their tenant. */
export type CallerOf = (tenantId: string) => Caller;

/**
 * Drops the oldest whole months of all trails, on an engine that keeps each in a table of its own. First each trail gets an
 * `audit.pruned` event, some trails in a transaction, so that no append waits for all of them. Then one transaction writes the
 * checkpoints and drops the month. Leaves what `pruneTrail` has to remove: the rest of a month, and all from a month on in which a
 * trail has an event that follows a later one.
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
	let recorded: number | undefined;
	for (let attempt = 1; ; ) {
		const month = await db.stores.checkpoints.findOldestMonth();
		if (month === undefined || month.toMs > beforeMs) return removed;
		const isRecorded = recorded === month.fromMs;
		// Without checkpoints first: nothing is recorded about a table in use.
		const ends = isRecorded ? await endsOf({ db, clock, key }, month) : [];
		const outcome = await dropMonth(db, month, ends);
		if (outcome === "dropped") {
			for (const { checkpoint, events } of ends)
				removed.set(checkpoint.tenantId, (removed.get(checkpoint.tenantId) ?? 0) + events);
			attempt = 1;
		} else if (outcome === "busy") {
			if (attempt++ === ATTEMPTS)
				throw new AppError(
					"service.unavailable",
					"the audit trail is in use, such as by a backup: run the command again later",
				);
			await setTimeout(PAUSE_MS);
		} else {
			if (isRecorded) return removed;
			const announced = await endsOf({ db, clock, key }, month);
			if (announced.length === 0) return removed;
			await record(db, month, announced, callerOf);
			recorded = month.fromMs;
		}
	}
}

function dropMonth(db: Needed["db"], month: AuditMonth, ends: readonly PrunedEvents[]) {
	const written = ends.map(({ checkpoint }) => checkpoint);
	return db.transaction(({ checkpoints }) => checkpoints.dropMonth(month, written));
}

/** Signs where the trails begin without the month. Empty if an event of the month has to stay. */
async function endsOf({ db, clock, key }: Needed, { toMs }: AuditMonth): Promise<readonly PrunedEvents[]> {
	const { checkpoints, tenants } = db.stores;
	const ends: PrunedEvents[] = [];
	for (const { id } of await tenants.listAll()) {
		const begin = (await checkpoints.findNewest(id))?.sequence ?? 0;
		const last = await checkpoints.findLastBefore(id, toMs);
		if (await checkpoints.hasOlderAfter(id, Math.max(begin, last?.sequence ?? 0), toMs)) return [];
		if (last === undefined || last.sequence <= begin) continue;
		const checkpoint = await issueCheckpoint(key, id, last, clock());
		ends.push({ checkpoint, events: last.sequence - begin });
	}
	return ends;
}

/** Few trails in a transaction: until its end, their appends wait. */
async function record(
	db: Needed["db"],
	month: AuditMonth,
	ends: readonly PrunedEvents[],
	callerOf: CallerOf,
): Promise<void> {
	for (let first = 0; first < ends.length; first += BATCH)
		await db.transaction(async ({ audit }) => {
			for (const end of ends.slice(first, first + BATCH))
				await appendPruned(audit, callerOf(end.checkpoint.tenantId), month.toMs, end);
		});
}
