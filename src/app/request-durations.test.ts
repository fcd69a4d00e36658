import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Histogram, Registry } from "prom-client";
import { RequestDurations } from "./request-durations.ts";

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Both in a registry of their own, so that they can have one name. */
function bothHistograms() {
	const registries = [new Registry(), new Registry()] as const;
	const library = new Histogram({
		name: "latchkey_http_request_duration_seconds",
		help: "Time from a request's first byte to its answer's last.",
		labelNames: ["method", "route", "status"],
		buckets: BUCKETS,
		registers: [registries[1]],
	});
	const own = new RequestDurations([registries[0]]);
	const add = (method: string, route: string, status: number, seconds: number): void => {
		own.add(method, route, status, seconds);
		library.observe({ method, route, status }, seconds);
	};
	const same = async (): Promise<void> => {
		assert.equal(await registries[0].metrics(), await registries[1].metrics());
		const [ours, theirs] = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()));
		assert.deepEqual(ours?.map(comparable), theirs?.map(comparable));
	};
	return { add, same, registry: registries[0], own };
}

/** What a reader of the values can see; the library also sets an empty exemplar. */
function comparable({ name, help, type, aggregator, values }: Awaited<ReturnType<Histogram["get"]>>) {
	return {
		name,
		help,
		type,
		aggregator,
		values: values.map(({ labels, value, metricName }) => ({ labels, value, metricName })),
	};
}

describe("RequestDurations", () => {
	it("renders what the library renders, byte for byte, without a request", async () => {
		await bothHistograms().same();
	});

	it("renders what the library renders, byte for byte, at and around every bound", async () => {
		const { add, same } = bothHistograms();
		for (const bound of [0, ...BUCKETS, 20])
			for (const seconds of [bound - 1e-9, bound, bound + 1e-9]) add("GET", "/api/v1/users/me", 200, seconds);
		await same();
	});

	it("renders what the library renders for many series, some with characters that are escaped", async () => {
		const { add, same } = bothHistograms();
		const routes = ["/health", "/api/v1/users/{id}", "none", 'a"b', "a\\b", "a\nb", "a,b:c"];
		for (let count = 0; count < 5_000; count++) {
			const method = ["GET", "POST", "DELETE"][count % 3] ?? "";
			const route = routes[count % routes.length] ?? "";
			add(method, route, [200, 401, 503][count % 11] ?? 404, (count % 997) / 313);
		}
		await same();
		add("GET", "/health", 200, 3);
		await same();
	});

	it("is one metric of its registry, read again without adding to what was read before", async () => {
		const { add, registry, own } = bothHistograms();
		add("GET", "/health", 200, 0.002);
		assert.equal(registry.getSingleMetric("latchkey_http_request_duration_seconds"), own);
		const text = await registry.metrics();
		assert.match(text, /_count\{method="GET",route="\/health",status="200"\} 1$/m);
		assert.equal(await registry.metrics(), text);
	});
});
