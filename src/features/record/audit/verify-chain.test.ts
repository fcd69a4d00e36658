import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AuditEvent, ChainHead, Checkpoint } from "../../../domain/audit.ts";
import { chainHash } from "./chain.ts";
import { type TrailReader, verifyChain } from "./verify-chain.ts";

const TENANT = "01a1fbcc-0000-7000-8000-000000000001";

const SIGNED = "signed";

/** What an attacker can change: rows by their place, and the head. */
interface Trail {
	events: AuditEvent[];
	head: ChainHead | undefined;
	checkpoint?: Checkpoint;
}

function event(previousHash: string, sequence: number, action = "user.created"): AuditEvent {
	const plain = {
		id: `event-${action}-${sequence}`,
		tenantId: TENANT,
		sequence,
		atMs: 1_760_000_000_000 + sequence,
		actor: "system",
		action,
		target: `user:${sequence}`,
		ip: "",
		requestId: "",
		details: "{}",
		chainVersion: 3,
		actorName: "",
		targetName: `person-${sequence}`,
		changes: "{}",
	};
	return { ...plain, hash: chainHash(previousHash, plain) };
}

function trailOf(count: number): Trail {
	const events: AuditEvent[] = [];
	for (let n = 1; n <= count; n++) events.push(event(events.at(-1)?.hash ?? "", n));
	return { events, head: { sequence: count, hash: events.at(-1)?.hash ?? "" } };
}

function readerOf(trail: Trail): TrailReader {
	return {
		listChain: async (_tenantId, after, limit) =>
			trail.events
				.filter((row) => row.sequence > after)
				.sort((a, b) => a.sequence - b.sequence)
				.slice(0, limit),
		findHead: async () => trail.head,
		findCheckpoint: async () => trail.checkpoint,
		verifyCheckpoint: async ({ statement }) => statement === SIGNED,
	};
}

/** A trail of `count` events; those up to `upTo` were removed with a checkpoint. */
function prunedTrail(count: number, upTo: number): Trail {
	const trail = trailOf(count);
	const { hash } = at(trail, upTo);
	trail.checkpoint = { tenantId: TENANT, sequence: upTo, hash, statement: SIGNED, createdAtMs: 0 };
	trail.events = trail.events.slice(upTo);
	return trail;
}

const at = (trail: Trail, sequence: number): AuditEvent =>
	trail.events.find((row) => row.sequence === sequence) as AuditEvent;

/** Renumbers events, as an attacker would to close or open a gap. */
function renumber(trail: Trail, from: number, by: number): void {
	trail.events = trail.events.map((row) =>
		row.sequence < from ? row : { ...row, sequence: row.sequence + by },
	);
}

function swap(trail: Trail, a: number, b: number): void {
	trail.events = trail.events.map((row) =>
		row.sequence === a ? { ...row, sequence: b } : row.sequence === b ? { ...row, sequence: a } : row,
	);
}

function without(trail: Trail, ...sequences: number[]): void {
	trail.events = trail.events.filter((row) => !sequences.includes(row.sequence));
}

describe("verifyChain finds nothing", () => {
	test("in an intact trail of any number of pages", async () => {
		for (const count of [1, 999, 1_000, 1_001, 2_500]) {
			const trail = trailOf(count);
			const progress: number[] = [];
			const report = await verifyChain(readerOf(trail), TENANT, (events) => progress.push(events));
			assert.deepEqual(report, {
				events: count,
				prunedUpTo: 0,
				lastHash: trail.head?.hash,
				broken: undefined,
			});
			assert.equal(progress.at(-1), count);
		}
	});

	test("in an empty trail", async () => {
		const report = await verifyChain(readerOf({ events: [], head: undefined }), TENANT);
		assert.deepEqual(report, { events: 0, prunedUpTo: 0, lastHash: "", broken: undefined });
	});

	test("while events are appended", async () => {
		const trail = trailOf(5);
		const reader = readerOf(trail);
		let isFirst = true;
		const report = await verifyChain(
			{
				...reader,
				async findHead(tenantId) {
					if (isFirst) Object.assign(trail, trailOf(8));
					isFirst = false;
					return reader.findHead(tenantId);
				},
			},
			TENANT,
		);
		assert.deepEqual([report.events, report.broken], [8, undefined]);
	});
});

describe("verifyChain finds", () => {
	const cases: readonly (readonly [string, number, string, (trail: Trail) => void])[] = [
		["a changed field", 4, "changed", (t) => Object.assign(at(t, 4), { actor: "user:innocent" })],
		["a changed name", 6, "changed", (t) => Object.assign(at(t, 6), { targetName: "another" })],
		["changed values", 6, "changed", (t) => Object.assign(at(t, 6), { changes: '{"a":{"from":1,"to":2}}' })],
		["a changed version", 6, "changed", (t) => Object.assign(at(t, 6), { chainVersion: 1 })],
		["a changed first event", 1, "changed", (t) => Object.assign(at(t, 1), { atMs: 1 })],
		["a changed last event", 9, "changed", (t) => Object.assign(at(t, 9), { details: '{"a":1}' })],
		[
			"an event changed together with its hash, at the next one",
			5,
			"changed",
			(t) => Object.assign(at(t, 4), event(at(t, 3).hash, 4, "user.deleted")),
		],
		[
			"a last event changed together with its hash",
			9,
			"changed",
			(t) => Object.assign(at(t, 9), event(at(t, 8).hash, 9, "user.deleted")),
		],
		["a removed event", 4, "removed", (t) => without(t, 4)],
		["removed first events", 1, "removed", (t) => without(t, 1, 2)],
		["removed last events", 8, "removed", (t) => without(t, 8, 9)],
		["a trail removed except for its head", 1, "removed", (t) => without(t, 1, 2, 3, 4, 5, 6, 7, 8, 9)],
		[
			"a removed event whose gap was closed",
			4,
			"removed",
			(t) => {
				without(t, 4);
				renumber(t, 5, -1);
			},
		],
		[
			"two removed before the last, and the gap closed",
			7,
			"removed",
			(t) => {
				without(t, 7, 8);
				renumber(t, 9, -2);
			},
		],
		[
			"an inserted event with a matching hash",
			4,
			"inserted",
			(t) => {
				renumber(t, 4, 1);
				t.events.push(event(at(t, 3).hash, 4, "user.forged"));
			},
		],
		[
			"an inserted event with another hash",
			4,
			"inserted",
			(t) => {
				renumber(t, 4, 1);
				t.events.push(event("forged", 4, "user.forged"));
			},
		],
		[
			"an inserted first event",
			1,
			"inserted",
			(t) => {
				renumber(t, 1, 1);
				t.events.push(event("", 1, "user.forged"));
			},
		],
		["an event before the first", 1, "inserted", (t) => void t.events.push(event("", 0, "user.forged"))],
		["an event between two", 5, "inserted", (t) => void t.events.push(event("", 4.5, "user.forged"))],
		[
			"an event after the last",
			10,
			"inserted",
			(t) => void t.events.push(event(at(t, 9).hash, 10, "user.forged")),
		],
		["two neighbors swapped", 4, "reordered", (t) => swap(t, 4, 5)],
		["the last two swapped", 8, "reordered", (t) => swap(t, 8, 9)],
		["two distant events swapped", 2, "reordered", (t) => swap(t, 2, 7)],
		[
			"an event moved to the end, the others up",
			3,
			"reordered",
			(t) => {
				swap(t, 3, 10);
				renumber(t, 4, -1);
			},
		],
		[
			"the last event moved forward, the others down",
			3,
			"reordered",
			(t) => {
				swap(t, 9, 2.5);
				renumber(t, 3, 1);
				swap(t, 2.5, 3);
			},
		],
		["an event moved beyond the end", 3, "reordered", (t) => swap(t, 3, 100)],
	];
	for (const [what, sequence, kind, tamper] of cases) {
		test(what, async () => {
			const trail = trailOf(9);
			tamper(trail);
			const { broken, events } = await verifyChain(readerOf(trail), TENANT);
			assert.deepEqual([broken?.kind, broken?.sequence], [kind, sequence]);
			assert.ok(events >= sequence - 1 && events <= 10);
		});
	}

	test("two events swapped across pages", async () => {
		const trail = trailOf(3_000);
		swap(trail, 5, 2_900);
		const { broken } = await verifyChain(readerOf(trail), TENANT);
		assert.deepEqual([broken?.kind, broken?.sequence], ["reordered", 5]);
		assert.equal(broken?.message, "event 5 is at position 2900");
	});
});

describe("verifyChain, after the oldest events were pruned,", () => {
	test("starts after the checkpoint and finds nothing in an intact trail", async () => {
		for (const [count, upTo] of [
			[9, 4],
			[9, 9],
			[2_500, 1_200],
		] as const) {
			const trail = prunedTrail(count, upTo);
			const report = await verifyChain(readerOf(trail), TENANT);
			const lastHash = trail.head?.hash;
			assert.deepEqual(report, { events: count - upTo, prunedUpTo: upTo, lastHash, broken: undefined });
		}
	});

	test("ignores events that are pruned in the meantime", async () => {
		const trail = trailOf(2_500);
		const reader = readerOf(trail);
		let pages = 0;
		const report = await verifyChain(
			{
				...reader,
				async listChain(...asked) {
					if (++pages === 2) Object.assign(trail, prunedTrail(2_500, 1_800));
					return reader.listChain(...asked);
				},
			},
			TENANT,
		);
		assert.deepEqual([report.events, report.prunedUpTo, report.broken], [700, 1_800, undefined]);
	});

	const cases: readonly (readonly [string, number, string, (trail: Trail) => void])[] = [
		["an unsigned checkpoint", 4, "forged", (t) => change(t, { statement: "forged" })],
		["a checkpoint with another hash", 5, "changed", (t) => change(t, { hash: "0".repeat(64) })],
		["a removed checkpoint", 1, "removed", (t) => Reflect.deleteProperty(t, "checkpoint")],
		["an event before it", 2, "inserted", (t) => void t.events.push(event("", 2, "user.forged"))],
		["the first event after it removed", 5, "removed", (t) => without(t, 5)],
		["the first event after it changed", 5, "changed", (t) => Object.assign(at(t, 5), { actor: "x" })],
		["an inserted first event", 5, "inserted", (t) => insertFirst(t)],
		["two neighbors swapped", 5, "reordered", (t) => swap(t, 5, 6)],
		["all events removed", 5, "removed", (t) => without(t, 5, 6, 7, 8, 9)],
		["a changed event later on", 7, "changed", (t) => Object.assign(at(t, 7), { atMs: 1 })],
	];
	for (const [what, sequence, kind, tamper] of cases)
		test(`finds ${what}`, async () => {
			const trail = prunedTrail(9, 4);
			tamper(trail);
			const { broken } = await verifyChain(readerOf(trail), TENANT);
			assert.deepEqual([broken?.kind, broken?.sequence], [kind, sequence]);
		});
});

function change(trail: Trail, changes: Partial<Checkpoint>): void {
	trail.checkpoint = { ...(trail.checkpoint as Checkpoint), ...changes };
}

function insertFirst(trail: Trail): void {
	renumber(trail, 5, 1);
	trail.events.push(event(trail.checkpoint?.hash ?? "", 5, "user.forged"));
}
