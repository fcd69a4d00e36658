import assert from "node:assert/strict";
import { test } from "node:test";
import { compareClock, examineClock } from "./clock.ts";
import { decideSpace, examineDescriptors, examineNode } from "./machine.ts";

test("a Node that is too old fails", () => {
	assert.equal(examineNode("23.11.1").status, "fail");
	assert.equal(examineNode("24.0.0").status, "ok");
	assert.equal(examineNode("26.10.0").status, "ok");
});

test("descriptors that do not suffice for the configured connections are a warning", () => {
	const embedded = { maxConnections: 4_096, databaseUrl: null };
	const codeAt = (limit: number, config = embedded) =>
		examineDescriptors(config, { limit, inUse: 32 })[0]?.code;
	assert.equal(codeAt(4_385), "descriptors.few");
	assert.equal(codeAt(4_386), "descriptors.enough");
	assert.equal(codeAt(1_000_000, { ...embedded, maxConnections: 0 }), "descriptors.enough");
	assert.deepEqual(examineDescriptors(embedded, { limit: 64, inUse: 32 })[0]?.params, {
		limit: 64,
		connections: 16,
		configured: 4_096,
	});
	assert.equal(
		examineDescriptors(embedded, { limit: 1_024, inUse: 32 })[0]?.params?.connections,
		1_024 - 32 - 103 - 8,
	);
	assert.deepEqual(examineDescriptors(embedded, undefined), []);
});

test("little disk space is a warning, too little fails", () => {
	assert.equal(decideSpace(99, "/data").status, "fail");
	assert.equal(decideSpace(100, "/data").status, "warn");
	assert.equal(decideSpace(999, "/data").status, "warn");
	assert.equal(decideSpace(1_000, "/data").status, "ok");
});

test("a clock fails if it is before 2026, or more than five minutes behind the newest record", () => {
	const now = Date.UTC(2026, 10, 20);
	assert.equal(examineClock(null, Date.UTC(2026, 0, 1) - 1).status, "fail");
	assert.equal(examineClock(null, now).status, "ok");
	assert.equal(examineClock(now + 300_000, now).status, "ok");
	assert.equal(examineClock(now + 300_001, now).status, "fail");
});

test("a clock fails if it differs from a server's by more than five seconds, for fast and slow calls", () => {
	const statusAt = (atMs: number) =>
		compareClock({ server: "PostgreSQL", beforeMs: 100_000, atMs, afterMs: 130_000 });
	assert.equal(statusAt(95_000), undefined);
	assert.equal(statusAt(115_000), undefined);
	assert.equal(statusAt(135_000), undefined);
	assert.deepEqual(statusAt(94_000)?.params, {
		now: "1970-01-01T00:02:10.000Z",
		server: "PostgreSQL",
		seconds: 6,
	});
	assert.equal(statusAt(136_000)?.status, "fail");
});
