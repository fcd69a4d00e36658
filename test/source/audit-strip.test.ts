// The strip above the audit trail stays within what the API returns, and leads from days to hours and back.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { barsOf, stripOf } from "../../pages/console/audit/strip-range.ts";
import { rangeOf } from "../../pages/console/statistics/period.ts";
import { STEPS_MAX } from "../../src/domain/statistics.ts";
import { DAY_MS, HOUR_MS } from "../../src/kernel/clock.ts";

const NOW = Date.UTC(2026, 10, 24, 13, 25);
const iso = (ms: number) => new Date(ms).toISOString();

describe("the strip of audit events", () => {
	const before = (ms: number) => ({ from: iso(NOW - ms), to: "" });
	const anyTime = { from: "", to: "" };

	test("has at most as many steps as the API returns, and contains the period or its newest part", () => {
		for (const ms of [1, HOUR_MS, 23 * HOUR_MS, DAY_MS, 3 * DAY_MS, 30 * DAY_MS, 31 * DAY_MS, 400 * DAY_MS]) {
			const { from, to, step } = stripOf(before(ms), NOW);
			const stepMs = step === "hour" ? HOUR_MS : DAY_MS;
			const steps = (Date.parse(to) - Date.parse(from)) / stepMs;
			assert.ok(steps > 0 && steps <= STEPS_MAX[step], `${ms}: ${steps}`);
			assert.ok(Date.parse(to) >= NOW && (from <= iso(NOW - ms) || steps === STEPS_MAX.day), String(ms));
		}
	});

	test("shows thirty days without a period, then the hours of a day, then all hours with one chosen", () => {
		const days = stripOf(anyTime, NOW);
		const bars = barsOf(days, []);
		assert.deepEqual([days.bar, days.wider, days.chosen, bars.length], ["day", undefined, undefined, 30]);
		const yesterday = rangeOf(bars[28]?.at ?? "", days.bar);
		const hours = stripOf(yesterday, NOW);
		assert.deepEqual([hours.bar, hours.wider, hours.chosen], ["hour", "any", undefined]);
		assert.deepEqual([hours.from, hours.to], [yesterday.from, yesterday.to]);
		const hour = rangeOf(barsOf(hours, [])[5]?.at ?? "", hours.bar);
		const chosen = stripOf(hour, NOW);
		assert.deepEqual([chosen.from, chosen.to], [yesterday.from, yesterday.to]);
		assert.deepEqual([chosen.chosen, chosen.wider], [hour, yesterday]);
	});

	test("shows the whole current day, whose last hours are still to come", () => {
		const today = rangeOf(barsOf(stripOf(anyTime, NOW), [])[29]?.at ?? "", "day");
		const strip = stripOf(today, NOW);
		assert.deepEqual(
			[strip.from, strip.to, strip.chosen, strip.wider],
			[today.from, today.to, undefined, "any"],
		);
		const coming = rangeOf(barsOf(strip, [])[23]?.at ?? "", "hour");
		assert.deepEqual(stripOf(coming, NOW), { ...strip, chosen: coming, wider: today });
		const bars = barsOf(strip, [{ at: today.from, events: 3 }]);
		assert.deepEqual([bars.length, bars[0]?.events, bars[23]?.events], [24, 3, 0]);
	});

	test("tells the current hour from the day in every hour of a day", () => {
		const today = stripOf(anyTime, NOW).to;
		const start = Date.parse(today) - DAY_MS;
		for (let hour = 0; hour < 24; hour++) {
			const now = start + hour * HOUR_MS + HOUR_MS / 2;
			const day = rangeOf(iso(start), "day");
			const current = rangeOf(iso(start + hour * HOUR_MS), "hour");
			assert.deepEqual(stripOf(day, now).chosen, undefined, String(hour));
			assert.deepEqual(stripOf({ from: day.from, to: "" }, now).chosen, undefined, String(hour));
			const { chosen, wider } = stripOf(current, now);
			assert.deepEqual([chosen, wider], [current, day], String(hour));
		}
	});

	test("shows thirty days for a period that is empty or malformed", () => {
		for (const range of [before(-HOUR_MS), { from: "yesterday", to: "" }])
			assert.equal(barsOf(stripOf(range, NOW), []).length, 30);
	});
});
