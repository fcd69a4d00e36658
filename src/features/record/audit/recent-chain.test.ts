import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEvent } from "../../../domain/audit.ts";
import { chainHash } from "./chain.ts";
import { RECENT_EVENTS, readRecentChain } from "./recent-chain.ts";

const TENANT = "0190";

function trail(length: number): AuditEvent[] {
	const events: AuditEvent[] = [];
	for (let sequence = 1; sequence <= length; sequence++) {
		const event = {
			id: `event ${sequence}`,
			tenantId: TENANT,
			sequence,
			atMs: sequence,
			actor: "system",
			action: "user.updated",
			target: "",
			ip: "",
			requestId: "",
			details: "{}",
			chainVersion: 3,
			actorName: "",
			targetName: "",
			changes: "{}",
		};
		events.push({ ...event, hash: chainHash(events.at(-1)?.hash ?? "", event) });
	}
	return events;
}

function read(written: readonly AuditEvent[], kept: readonly AuditEvent[] = written, prunedUpTo = 0) {
	const end = written.at(-1);
	const checkpoint = written[prunedUpTo - 1];
	return readRecentChain(
		{
			findHead: async () => end && { sequence: end.sequence, hash: end.hash },
			findNewest: async () =>
				checkpoint && {
					tenantId: TENANT,
					sequence: checkpoint.sequence,
					hash: checkpoint.hash,
					statement: "",
					createdAtMs: 9,
				},
			listChain: async (_, after, limit) => kept.filter(({ sequence }) => sequence > after).slice(0, limit),
		},
		TENANT,
	);
}

test("an empty trail is intact", async () => {
	const { lastSequence, checked, brokenAt, lastAtMs } = await read([]);
	assert.deepEqual([lastSequence, checked, brokenAt, lastAtMs], [0, 0, null, null]);
});

test("only the newest events of a long trail are checked", async () => {
	const events = trail(RECENT_EVENTS + 5);
	const { checked, brokenAt, lastSequence, lastAtMs } = await read(events);
	assert.deepEqual(
		[checked, brokenAt, lastSequence, lastAtMs],
		[RECENT_EVENTS, null, events.length, events.length],
	);
	const old = events.map((event) => (event.sequence === 3 ? { ...event, action: "changed" } : event));
	assert.equal((await read(events, old)).brokenAt, null);
});

test("changed and missing events are reported", async () => {
	const events = trail(8);
	const changed = events.map((event) => (event.sequence === 5 ? { ...event, ip: "203.0.113.7" } : event));
	assert.equal((await read(events, changed)).brokenAt, 5);
	for (const missing of [1, 4, 8])
		assert.equal(
			(
				await read(
					events,
					events.filter(({ sequence }) => sequence !== missing),
				)
			).brokenAt,
			missing,
		);
	assert.equal((await read(events, [])).brokenAt, 1);
});

test("after pruning, the chain begins at the checkpoint", async () => {
	const events = trail(8);
	const report = await read(events, events.slice(6), 6);
	assert.deepEqual([report.checked, report.brokenAt, report.prunedUpTo, report.prunedAtMs], [2, null, 6, 9]);
	const everything = await read(events, [], 8);
	assert.deepEqual([everything.checked, everything.brokenAt], [0, null]);
});
