// Walks a tenant's audit chain and finds the first link that does not hold.

import { chainHash } from "./chain.ts";
import { type BrokenLink, type ChainReader, explainBreak } from "./explain-break.ts";
import type { AuditEvent, ChainHead } from "./model.ts";

const PAGE = 1_000;
/** Before any number a row could have been given. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

export interface ChainReport {
	/** How many events hold, from the first. */
	readonly events: number;
	/** Of the last event that holds, `""` when there is none. */
	readonly lastHash: string;
	readonly broken: BrokenLink | undefined;
}

/**
 * Reads every event once, in pages; events that are appended meanwhile are walked too. The chain is not keyed: it
 * shows what was done to rows, unless all later hashes and the head were made anew as well. Against that, keep `events`
 * and `lastHash` elsewhere and compare.
 *
 * @param onProgress told after each page how many events hold so far.
 */
export async function verifyChain(
	reader: ChainReader,
	tenantId: string,
	onProgress: (events: number) => void = () => undefined,
): Promise<ChainReport> {
	let last: AuditEvent | undefined;
	for (;;) {
		const events = await reader.listChain(tenantId, last?.sequence ?? BEFORE_ALL, PAGE);
		for (const event of events) {
			if (!follows(last, event)) return report(last, await explainBreak(reader, { tenantId, last, event }));
			last = event;
		}
		onProgress(last?.sequence ?? 0);
		if (events.length === PAGE) continue;
		const head = await reader.findHead(tenantId);
		// Appended between the two reads.
		if (await hasMore(reader, tenantId, last, head)) continue;
		return report(last, compareHead(last, head));
	}
}

function follows(last: AuditEvent | undefined, event: AuditEvent): boolean {
	return event.sequence === (last?.sequence ?? 0) + 1 && event.hash === chainHash(last?.hash ?? "", event);
}

async function hasMore(
	reader: ChainReader,
	tenantId: string,
	last: AuditEvent | undefined,
	head: ChainHead | undefined,
): Promise<boolean> {
	const reached = last?.sequence ?? 0;
	if (head === undefined || head.sequence <= reached) return false;
	return (await reader.listChain(tenantId, reached, 1)).length > 0;
}

function compareHead(last: AuditEvent | undefined, head: ChainHead | undefined): BrokenLink | undefined {
	const reached = last?.sequence ?? 0;
	const end = head?.sequence ?? 0;
	if (reached < end) {
		const which = end === reached + 1 ? `event ${end} was` : `the events from ${reached + 1} to ${end} were`;
		return { kind: "removed", sequence: reached + 1, message: `${which} removed from the end` };
	}
	if (reached > end) {
		return {
			kind: "inserted",
			sequence: end + 1,
			message: `event ${end + 1} was put after the end of the trail`,
		};
	}
	if (last === undefined || head === undefined || last.hash === head.hash) return undefined;
	return {
		kind: "changed",
		sequence: reached,
		message: `event ${reached} was changed together with its hash`,
	};
}

function report(last: AuditEvent | undefined, broken: BrokenLink | undefined): ChainReport {
	return { events: last?.sequence ?? 0, lastHash: last?.hash ?? "", broken };
}
