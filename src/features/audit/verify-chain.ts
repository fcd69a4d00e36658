// Walks a tenant's audit chain and finds the first link that does not hold.

import { chainHash } from "./chain.ts";
import { explainBreak } from "./explain-break.ts";
import type { AuditEvent, AuditTrail, ChainHead } from "./model.ts";

const PAGE = 1_000;
/** Before any sequence a row could have been given. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

/** What was done to the trail, as far as what is left of it tells. */
export type Tampering = "changed" | "removed" | "inserted" | "reordered";

export interface BrokenLink {
	readonly kind: Tampering;
	/** The first place in the chain where it shows. */
	readonly sequence: number;
	/** One sentence for a person. */
	readonly message: string;
}

export interface ChainReport {
	/** How many events hold, from the first. */
	readonly events: number;
	/** Of the last event that holds, `""` when there is none: two reports with the same events and hash saw the same trail. */
	readonly lastHash: string;
	readonly broken: BrokenLink | undefined;
}

/**
 * Reads every event once, in pages; events that are appended meanwhile are walked too. The chain is not keyed: it
 * shows what somebody did to rows, not what somebody did who also rewrote all later hashes and the head. Against that,
 * keep `events` and `lastHash` elsewhere and compare.
 */
export async function verifyChain(
	trail: Pick<AuditTrail, "listChain" | "findHead">,
	tenantId: string,
	onProgress: (events: number) => void = () => undefined,
): Promise<ChainReport> {
	let last: AuditEvent | undefined;
	for (;;) {
		const events = await trail.listChain(tenantId, last?.sequence ?? BEFORE_ALL, PAGE);
		for (const event of events) {
			if (!follows(last, event)) {
				return report(last, await explainBreak(trail, { tenantId, last, event }));
			}
			last = event;
		}
		onProgress(last?.sequence ?? 0);
		if (events.length === PAGE) continue;
		const head = await trail.findHead(tenantId);
		// Appended between the two reads.
		if (head !== undefined && (await hasMore(trail, tenantId, last, head))) continue;
		return report(last, compareHead(last, head));
	}
}

function follows(last: AuditEvent | undefined, event: AuditEvent): boolean {
	return (
		event.sequence === (last?.sequence ?? 0) + 1 && event.hash === chainHash(last?.hash ?? "", withoutHash(event))
	);
}

export function withoutHash({ hash: _hash, ...event }: AuditEvent): Omit<AuditEvent, "hash"> {
	return event;
}

async function hasMore(
	trail: Pick<AuditTrail, "listChain">,
	tenantId: string,
	last: AuditEvent | undefined,
	head: ChainHead,
): Promise<boolean> {
	const reached = last?.sequence ?? 0;
	return reached < head.sequence && (await trail.listChain(tenantId, reached, 1)).length > 0;
}

function compareHead(last: AuditEvent | undefined, head: ChainHead | undefined): BrokenLink | undefined {
	const sequence = last?.sequence ?? 0;
	const end = head?.sequence ?? 0;
	if (sequence < end) {
		const message = `the events from ${sequence + 1} to ${end} were removed from the end`;
		return { kind: "removed", sequence: sequence + 1, message };
	}
	if (sequence > end) {
		const message = `event ${end + 1} was put after the end of the trail`;
		return { kind: "inserted", sequence: end + 1, message };
	}
	if (last === undefined || head === undefined || last.hash === head.hash) return undefined;
	const message = `event ${sequence} is not the one that was written last: it was changed together with its hash`;
	return { kind: "changed", sequence, message };
}

function report(last: AuditEvent | undefined, broken: BrokenLink | undefined): ChainReport {
	return { events: last?.sequence ?? 0, lastHash: last?.hash ?? "", broken };
}
