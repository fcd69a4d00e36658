import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { emptyResource } from "@opentelemetry/resources";
import { bridgeMetrics, type MetricFamily } from "./metric-bridge.ts";

async function bridged(family: Omit<MetricFamily, "name" | "help">) {
	const producer = bridgeMetrics({
		resource: emptyResource(),
		scope: { name: "test", version: "1" },
		startedAtMs: 1_500,
		collect: async () => [{ name: "latchkey_test", help: "A test.", ...family }],
	});
	const { resourceMetrics } = await producer.collect();
	return resourceMetrics.scopeMetrics[0]?.metrics ?? [];
}

describe("bridgeMetrics", () => {
	it("converts cumulative `le` counts to counts between two boundaries, by labels", async () => {
		const part = (route: string, le: number | string, value: number) => ({
			labels: { route, le },
			value,
			metricName: "latchkey_test_bucket",
		});
		const total = (route: string, name: string, value: number) => ({
			labels: { route },
			value,
			metricName: `latchkey_test_${name}`,
		});
		const values = [
			part("/a", 0.1, 2),
			part("/a", 1, 2),
			part("/a", "+Inf", 5),
			total("/a", "sum", 7.5),
			total("/a", "count", 5),
			part("/b", 1, 4),
			part("/b", 0.1, 1),
			part("/b", "+Inf", 4),
			total("/b", "sum", 2),
			total("/b", "count", 4),
		];
		const [metric] = await bridged({ type: "histogram", values });
		assert.deepEqual(
			metric?.dataPoints.map(({ attributes, value }) => [attributes, value]),
			[
				[{ route: "/a" }, { buckets: { boundaries: [0.1, 1], counts: [2, 0, 3] }, sum: 7.5, count: 5 }],
				[{ route: "/b" }, { buckets: { boundaries: [0.1, 1], counts: [1, 3, 0] }, sum: 2, count: 4 }],
			],
		);
		assert.deepEqual(metric?.dataPoints[0]?.startTime, [1, 500_000_000]);
	});

	it("omits values that could not be read, and metrics without values", async () => {
		const [metric] = await bridged({
			type: "gauge",
			values: [
				{ labels: { state: "busy" }, value: Number.NaN },
				{ labels: { state: "idle" }, value: 3 },
			],
		});
		assert.deepEqual(
			metric?.dataPoints.map(({ attributes, value }) => [attributes, value]),
			[[{ state: "idle" }, 3]],
		);
		assert.deepEqual(await bridged({ type: "gauge", values: [{ labels: {}, value: Number.NaN }] }), []);
	});

	it("refuses an unknown kind", async () => {
		await assert.rejects(bridged({ type: "summary", values: [] }), /metric latchkey_test is a summary/);
	});
});
