import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRetryAfter } from "./retry-after.ts";

const NOW_MS = Date.UTC(2026, 10, 28, 1, 40);

test("reads seconds and the three forms of a date", () => {
	for (const [header, seconds] of [
		["0", 0],
		["120", 120],
		["86400000", 86_400_000],
		["Sat, 28 Nov 2026 03:40:00 GMT", 7_200],
		["Saturday, 28-Nov-26 03:40:00 GMT", 7_200],
		["Sat Nov 28 03:40:00 2026", 7_200],
		["Tue Dec  1 01:40:00 2026", 259_200],
		["Fri, 27 Nov 2026 03:40:00 GMT", 0],
	] as const)
		assert.equal(parseRetryAfter(header, NOW_MS), seconds, header);
});

test("ignores anything else", () => {
	for (const header of [
		undefined,
		"",
		"-1",
		"1.5",
		"+120",
		"120 seconds",
		"tomorrow",
		"2026-11-28T03:40:00Z",
		"Sat, 28 Nov 2026 03:40:00",
		"Sat, 28 Nov 2026 03:40:00 +0200",
		"Sat, 28 Abc 2026 03:40:00 GMT",
		"Sat, 28 Nov 2026 33:40:00 GMT",
	])
		assert.equal(parseRetryAfter(header, NOW_MS), undefined, String(header));
});
