// The periods of the console's charts stay within what the API keeps and returns.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isoDay, joined, periodBefore, periodOf } from "../../pages/console/statistics/period.ts";
import { barsOf } from "../../pages/console/statistics/result-steps.ts";
import { STATISTICS_KEPT_MS, STEPS_MAX } from "../../src/domain/statistics.ts";
import { DAY_MS, HOUR_MS } from "../../src/kernel/clock.ts";

const NOW = Date.UTC(2026, 10, 24, 13, 25);

describe("the period of a chart", () => {
	const lengthOf = ({ from, to }: { from: string; to: string }) => Date.parse(to) - Date.parse(from);

	test("has at most as many steps as the API returns, of a kind that it still keeps", () => {
		const custom = ["2026-11-24", "2026-11-01", "2026-10-22", "2026-10-01", "2026-01-01"].map((from) => ({
			range: "dates",
			from,
			to: "2026-11-24",
		}));
		const recent = ["24h", "7d", "30d", "90d"].map((range) => ({ range }));
		for (const values of [...recent, ...custom]) {
			const current = periodOf(values, NOW);
			const before = periodBefore(current, NOW);
			for (const [period, agesKept] of [
				[current, 1],
				[before, 2],
				[joined(before, current) ?? current, 2],
			] as const) {
				const stepMs = period.step === "hour" ? HOUR_MS : DAY_MS;
				const about = JSON.stringify({ values, period });
				assert.ok(lengthOf(period) > 0 && lengthOf(period) / stepMs <= STEPS_MAX[period.step], about);
				assert.ok(Date.parse(period.from) >= NOW - STATISTICS_KEPT_MS[period.step] * agesKept, about);
				if (period.step === "hour")
					assert.ok(Date.parse(period.from) >= NOW - STATISTICS_KEPT_MS.hour, about);
			}
		}
	});

	test("begins and ends with a local day, today included", () => {
		const { from, to, step, bar } = periodOf({ range: "7d" }, NOW);
		assert.deepEqual([step, bar], ["hour", "day"]);
		for (const end of [from, to]) assert.equal(new Date(end).getHours(), 0, end);
		assert.equal(isoDay(Date.parse(to) - 1), isoDay(NOW));
	});

	test("is compared with as much of the period before", () => {
		const current = periodOf({ range: "7d" }, NOW);
		const before = periodBefore(current, NOW);
		const passed = NOW - Date.parse(current.from);
		assert.ok(Math.abs(lengthOf(before) - passed) <= HOUR_MS, JSON.stringify(before));
		assert.ok(Date.parse(before.to) < Date.parse(current.from));
	});

	test("adds up the hours of each local day, by reason", () => {
		const midnight = Date.parse(periodOf({ range: "7d" }, NOW).from);
		const at = (hour: number) => new Date(midnight + hour * HOUR_MS).toISOString();
		const steps = [
			{ at: at(0), ok: 1, refused: {} },
			{ at: at(1), ok: 2, refused: { "ip.not_allowed": 1 } },
			{ at: at(20), ok: 4, refused: { "ip.not_allowed": 2, "scope.missing": 1 } },
			{ at: at(26), ok: 8, refused: {} },
		];
		assert.deepEqual(barsOf(steps, "day"), [
			{ at: at(0), ok: 7, refused: { "ip.not_allowed": 3, "scope.missing": 1 } },
			{ at: at(26), ok: 8, refused: {} },
		]);
		assert.deepEqual(barsOf(steps, "hour"), steps);
	});
});
