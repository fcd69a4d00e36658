import assert from "node:assert/strict";
import { test } from "node:test";
import { relative } from "../../pages/ui/relative-time.ts";

const NOW = Date.parse("2026-11-29T12:00:00Z");
const MINUTE_MS = 60_000;

test("a time is relative in the past, now within the difference of two clocks, and itself in the future", () => {
	const at = (minutes: number, language = "en-GB") =>
		relative(new Date(NOW + minutes * MINUTE_MS), NOW, language);
	assert.deepEqual(
		[at(-180), at(-36), at(-0.5), at(0.5), at(4.9)],
		["3 hours ago", "36 minutes ago", "now", "now", "now"],
	);
	for (const minutes of [5, 36, 180, 100_000]) {
		assert.match(at(minutes), /^\d+ \w+ 20\d\d, \d\d:\d\d$/u, String(minutes));
		assert.doesNotMatch(at(minutes, "zh-CN"), /后|内/u);
	}
});
