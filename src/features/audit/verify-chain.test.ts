import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chainHash } from "./chain.ts";
import type { ChainReader } from "./explain-break.ts";
import type { AuditEvent, ChainHead } from "./model.ts";
import { verifyChain } from "./verify-chain.ts";

const TENANT = "01a1fbcc-0000-7000-8000-000000000001";

/** What an attacker can reach: rows by their place, and the head. */
interface Trail {
	events: AuditEvent[];
	head: ChainHead | undefined;
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
	};
	return { ...plain, hash: chainHash(previousHash, plain) };
}

function trailOf(count: number): Trail {
	const events: AuditEvent[] = [];
	for (let n = 1; n <= count; n++) events.push(event(events.at(-1)?.hash ?? "", n));
	return { events, head: { sequence: count, hash: events.at(-1)?.hash ?? "" } };
}

function readerOf(trail: Trail): ChainReader {
	return {
		listChain: async (_tenantId, after, limit) =>
			trail.events
				.filter((row) => row.sequence > after)
				.sort((a, b) => a.sequence - b.sequence)
				.slice(0, limit),
		findHead: async () => trail.head,
	};
}

const at = (trail: Trail, sequence: number): AuditEvent =>
	trail.events.find((row) => row.sequence === sequence) as AuditEvent;

/** Gives events new numbers, as an attacker closes or makes a gap. */
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
	test("in an untouched trail, however many pages it has", async () => {
		for (const count of [1, 999, 1_000, 1_001, 2_500]) {
			const trail = trailOf(count);
			const progress: number[] = [];
			const report = await verifyChain(readerOf(trail), TENANT, (events) => progress.push(events));
			assert.deepEqual(report, { events: count, lastHash: trail.head?.hash, broken: undefined });
			assert.equal(progress.at(-1), count);
		}
	});

	test("where there is no trail yet", async () => {
		const report = await verifyChain(readerOf({ events: [], head: undefined }), TENANT);
		assert.deepEqual(report, { events: 0, lastHash: "", broken: undefined });
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
		["a trail removed whole, but for its head", 1, "removed", (t) => without(t, 1, 2, 3, 4, 5, 6, 7, 8, 9)],
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
			"an inserted event with a hash that fits",
			4,
			"inserted",
			(t) => {
				renumber(t, 4, 1);
				t.events.push(event(at(t, 3).hash, 4, "user.forged"));
			},
		],
		[
			"an inserted event with a hash that does not",
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
		["two neighbours swapped", 4, "reordered", (t) => swap(t, 4, 5)],
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

	test("a swap over more than a page", async () => {
		const trail = trailOf(3_000);
		swap(trail, 5, 2_900);
		const { broken } = await verifyChain(readerOf(trail), TENANT);
		assert.deepEqual([broken?.kind, broken?.sequence], ["reordered", 5]);
		assert.equal(broken?.message, "event 5 stands at place 2900");
	});
});
