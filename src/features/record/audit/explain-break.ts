// Determines what was done to a broken audit trail: changed, removed, inserted or reordered.

import type { AuditEvent, AuditTrail, ChainHead } from "../../../domain/audit.ts";
import { chainHash } from "./chain.ts";

type Tampering = "changed" | "removed" | "inserted" | "reordered" | "forged";

export interface BrokenLink {
	readonly kind: Tampering;
	/** The first affected place in the chain. */
	readonly sequence: number;
	/** One sentence for an operator. */
	readonly message: string;
}

export type ChainReader = Pick<AuditTrail, "listChain" | "findHead">;

/** Where the chain breaks: `event` does not follow `last`, which is undefined at the beginning. */
interface Break {
	readonly tenantId: string;
	/** The checkpoint before the first event; undefined if the chain was never pruned. */
	readonly start: ChainHead | undefined;
	readonly last: ChainHead | undefined;
	readonly event: AuditEvent;
}

const PAGE = 1_000;
/** Renumbering is recognized up to this many removed events. */
const REMOVED_MAX = 10_000;

/** A moved event still fits its original position; a forged event fits none. */
export async function explainBreak(reader: ChainReader, found: Break): Promise<BrokenLink> {
	const place = placeOf(found);
	const { event } = found;
	if (event.sequence < place) return broken("inserted", place, `an event was inserted before event ${place}`);
	const moved = await findLater(reader, found, (later) => fits(later, found.last?.hash ?? "", place));
	if (moved !== undefined) {
		const reordered = event.sequence > place || (await isMovedHere(reader, found));
		return reordered
			? broken("reordered", place, `event ${place} is at position ${moved.sequence}`)
			: broken("inserted", place, `event ${place} was inserted before the one that belongs there`);
	}
	if (event.sequence > place) {
		const end = event.sequence - 1;
		const which = end === place ? `event ${place} is` : `the events from ${place} to ${end} are`;
		return broken("removed", place, `${which} missing`);
	}
	if (await followsLastButOne(reader, found))
		return broken("inserted", place - 1, `event ${place - 1} was inserted before the one that belongs there`);
	const removed = await countRemoved(reader, found);
	if (removed > 0)
		return broken("removed", place, `${removed} removed before event ${place}, and the rest were renumbered`);
	return broken("changed", place, changedMessage(place));
}

function changedMessage(place: number): string {
	if (place === 1) return "event 1 does not match its hash: it was changed";
	return `event ${place} does not match its hash: it was changed, or event ${place - 1} together with its hash`;
}

function placeOf({ last }: Break): number {
	return (last?.sequence ?? 0) + 1;
}

export function broken(kind: Tampering, sequence: number, message: string): BrokenLink {
	return { kind, sequence, message };
}

/** Whether the event was written as number `sequence` right after the event with `previousHash`. */
function fits(event: AuditEvent, previousHash: string, sequence: number): boolean {
	return event.hash === chainHash(previousHash, { ...event, sequence });
}

/** The first event after the break for which `matches` holds. */
async function findLater(
	reader: ChainReader,
	{ tenantId, event }: Break,
	matches: (later: AuditEvent) => boolean,
): Promise<AuditEvent | undefined> {
	let after = event.sequence;
	for (;;) {
		const events = await reader.listChain(tenantId, after, PAGE);
		const match = events.find(matches);
		const last = events.at(-1);
		if (match !== undefined || last === undefined || events.length < PAGE) return match;
		after = last.sequence;
	}
}

/**
 * Whether the event at the break was moved here from a later position. It then follows one of the later events, whose
 * own position may have shifted by one.
 */
async function isMovedHere(reader: ChainReader, found: Break): Promise<boolean> {
	const place = placeOf(found);
	const predecessor = await findLater(reader, found, (later) =>
		[place + 1, later.sequence, later.sequence + 1].some((sequence) =>
			fits(found.event, later.hash, sequence),
		),
	);
	return predecessor !== undefined;
}

/** Whether `last` was inserted with a valid hash, and the real events renumbered. */
async function followsLastButOne(
	reader: ChainReader,
	{ tenantId, start, last, event }: Break,
): Promise<boolean> {
	const begin = start?.sequence ?? 0;
	if (last === undefined || last.sequence <= begin) return false;
	const isFirst = last.sequence === begin + 1;
	const before = isFirst ? start : (await reader.listChain(tenantId, last.sequence - 2, 1))[0];
	return fits(event, before?.hash ?? "", last.sequence);
}

/** Returns how many events were removed and the rest renumbered; the next event fits only under its old number. */
async function countRemoved(reader: ChainReader, { tenantId, event }: Break): Promise<number> {
	const [next] = await reader.listChain(tenantId, event.sequence, 1);
	if (next === undefined) {
		const head = await reader.findHead(tenantId);
		return head !== undefined && head.hash === event.hash ? head.sequence - event.sequence : 0;
	}
	for (let removed = 1; removed <= REMOVED_MAX; removed++)
		if (fits(next, event.hash, next.sequence + removed)) return removed;
	return 0;
}
