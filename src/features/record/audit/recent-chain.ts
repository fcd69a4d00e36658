// Reads the end of a tenant's audit chain and checks that its newest events are intact.

import type { AuditEvent, AuditTrail, ChainHead, CheckpointStore } from "../../../domain/audit.ts";
import { chainHash } from "./chain.ts";

/** One page of the database, so that the check stays cheap for a trail of any length. */
export const RECENT_EVENTS = 1_000;

interface RecentChain {
	/** The number of the newest event. */
	readonly lastSequence: number;
	/** Of the newest event; `""` before the first. */
	readonly lastHash: string;
	readonly lastAtMs: number | null;
	/** How many of the newest events were checked. */
	readonly checked: number;
	/** The first event that is missing or does not follow the one before it; null if all are intact. */
	readonly brokenAt: number | null;
	/** Of the newest checkpoint; 0 without one. */
	readonly prunedUpTo: number;
	readonly prunedAtMs: number | null;
}

type Reader = Pick<AuditTrail, "findHead" | "listChain"> & Pick<CheckpointStore, "findNewest">;

/** Checks only the newest events; `latchkey audit verify` checks all events and the signature of the checkpoint. */
export async function readRecentChain(reader: Reader, tenantId: string): Promise<RecentChain> {
	const checkpoint = (await reader.findNewest(tenantId)) ?? null;
	const head = (await reader.findHead(tenantId)) ?? { sequence: 0, hash: "" };
	const first = Math.max((checkpoint?.sequence ?? 0) + 1, head.sequence - RECENT_EVENTS + 1);
	const before = await previousOf(reader, tenantId, first, checkpoint);
	const events = await reader.listChain(tenantId, first - 1, head.sequence - first + 1);
	return {
		lastSequence: head.sequence,
		lastHash: head.hash,
		lastAtMs: events.at(-1)?.atMs ?? null,
		checked: Math.max(0, head.sequence - first + 1),
		brokenAt: findBreak(before, events, head),
		prunedUpTo: checkpoint?.sequence ?? 0,
		prunedAtMs: checkpoint?.createdAtMs ?? null,
	};
}

/** The event before the first checked one; undefined if it is missing. */
async function previousOf(
	reader: Reader,
	tenantId: string,
	first: number,
	checkpoint: ChainHead | null,
): Promise<ChainHead | undefined> {
	if (first === 1) return { sequence: 0, hash: "" };
	if (checkpoint?.sequence === first - 1) return checkpoint;
	const [previous] = await reader.listChain(tenantId, first - 2, 1);
	return previous?.sequence === first - 1 ? previous : undefined;
}

function findBreak(
	before: ChainHead | undefined,
	events: readonly AuditEvent[],
	head: ChainHead,
): number | null {
	let last = before;
	for (const event of events) {
		const place = (last?.sequence ?? event.sequence - 1) + 1;
		if (last === undefined || event.sequence !== place || event.hash !== chainHash(last.hash, event))
			return place;
		last = event;
	}
	if (last === undefined) return head.sequence;
	if (last.sequence < head.sequence) return last.sequence + 1;
	return last.hash === head.hash ? null : last.sequence;
}
