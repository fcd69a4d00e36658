// Verifies a tenant's audit chain and finds the first broken link.

import type { AuditEvent, ChainHead, Checkpoint } from "../../../domain/audit.ts";
import { chainHash } from "./chain.ts";
import { type BrokenLink, broken, type ChainReader, explainBreak } from "./explain-break.ts";

const PAGE = 1_000;
/** Before any number that a row can have. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

export interface ChainReport {
	/** How many events are intact, from the first that is kept. */
	readonly events: number;
	/** The number of the last removed event, from a verified checkpoint; 0 when none was removed. */
	readonly prunedUpTo: number;
	/** The hash of the last intact event; `""` without one. */
	readonly lastHash: string;
	readonly broken: BrokenLink | undefined;
}

/** Also reads where the trail starts. */
export interface TrailReader extends ChainReader {
	findCheckpoint(tenantId: string): Promise<Checkpoint | undefined>;
	/** Whether the service signed this checkpoint. */
	verifyCheckpoint(checkpoint: Checkpoint): Promise<boolean>;
}

/**
 * Reads every event once, in pages. Includes events that are appended in the meantime; a new checkpoint restarts the
 * verification. The chain has no key, so it cannot detect a change after which all later hashes and the head were
 * recomputed. To detect such a change, store `lastHash` elsewhere and compare it.
 *
 * @param onProgress called after each page with the number of intact events so far.
 */
export async function verifyChain(
	reader: TrailReader,
	tenantId: string,
	onProgress: (events: number) => void = () => undefined,
): Promise<ChainReport> {
	for (;;) {
		const start = await reader.findCheckpoint(tenantId);
		const report = await verifyFrom(reader, tenantId, start, onProgress);
		if (report.broken === undefined) return report;
		// Missing events may have been pruned in the meantime, with a checkpoint.
		const now = await reader.findCheckpoint(tenantId);
		if ((now?.sequence ?? 0) <= (start?.sequence ?? 0)) return report;
	}
}

async function verifyFrom(
	reader: TrailReader,
	tenantId: string,
	start: Checkpoint | undefined,
	onProgress: (events: number) => void,
): Promise<ChainReport> {
	const begin = start?.sequence ?? 0;
	const report = (last: ChainHead | undefined, broken: BrokenLink | undefined): ChainReport => ({
		events: (last?.sequence ?? 0) - begin,
		prunedUpTo: begin,
		lastHash: last?.hash ?? "",
		broken,
	});
	const brokenStart = start && (await explainStart(reader, start));
	if (brokenStart !== undefined) return { events: 0, prunedUpTo: 0, lastHash: "", broken: brokenStart };
	let last: ChainHead | undefined = start;
	for (;;) {
		const events = await reader.listChain(
			tenantId,
			last === undefined ? BEFORE_ALL : last.sequence - 1,
			PAGE,
		);
		// A page begins with the end of the one before: another event with the same number would follow it.
		const again = last !== undefined && isSame(events[0], last) ? 1 : 0;
		for (const event of events.slice(again)) {
			if (!follows(last, event))
				return report(last, await explainBreak(reader, { tenantId, start, last, event }));
			last = event;
		}
		onProgress((last?.sequence ?? 0) - begin);
		if (events.length === PAGE) continue;
		const head = await reader.findHead(tenantId);
		// Events were appended between the two reads.
		if (await hasMore(reader, tenantId, last, head)) continue;
		return report(last, compareHead(last, head));
	}
}

/** Finds a checkpoint that the service did not sign, and rows that the checkpoint should have removed. */
async function explainStart(reader: TrailReader, start: Checkpoint): Promise<BrokenLink | undefined> {
	const { tenantId, sequence } = start;
	if (!(await reader.verifyCheckpoint(start)))
		return broken("forged", sequence, `the checkpoint at event ${sequence} was not signed by the service`);
	const [first] = await reader.listChain(tenantId, BEFORE_ALL, 1);
	if (first === undefined || first.sequence > sequence) return undefined;
	const message = `event ${first.sequence} is before the checkpoint at event ${sequence}`;
	return broken("inserted", first.sequence, message);
}

function isSame(event: ChainHead | undefined, { sequence, hash }: ChainHead): boolean {
	return event?.sequence === sequence && event.hash === hash;
}

function follows(last: ChainHead | undefined, event: AuditEvent): boolean {
	return event.sequence === (last?.sequence ?? 0) + 1 && event.hash === chainHash(last?.hash ?? "", event);
}

async function hasMore(
	reader: ChainReader,
	tenantId: string,
	last: ChainHead | undefined,
	head: ChainHead | undefined,
): Promise<boolean> {
	const reached = last?.sequence ?? 0;
	if (head === undefined || head.sequence <= reached) return false;
	return (await reader.listChain(tenantId, reached, 1)).length > 0;
}

function compareHead(last: ChainHead | undefined, head: ChainHead | undefined): BrokenLink | undefined {
	const reached = last?.sequence ?? 0;
	const end = head?.sequence ?? 0;
	if (reached < end) {
		const which = end === reached + 1 ? `event ${end} was` : `the events from ${reached + 1} to ${end} were`;
		return broken("removed", reached + 1, `${which} removed from the end`);
	}
	if (reached > end)
		return broken("inserted", end + 1, `event ${end + 1} was inserted after the end of the trail`);
	if (last === undefined || head === undefined || last.hash === head.hash) return undefined;
	return broken("changed", reached, `event ${reached} was changed together with its hash`);
}
