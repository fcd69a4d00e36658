import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	GateSample,
	SAMPLED_EVERY_MS,
	SAMPLED_GATES_MAX,
	SAMPLED_KEPT,
	type SampledRequest,
} from "./gate-sample.ts";

const request = (path: string, more: Partial<SampledRequest> = {}): SampledRequest => ({
	method: "GET",
	path,
	kind: "partner",
	isTest: false,
	hasSecondFactor: false,
	permissions: [],
	...more,
});

describe("GateSample", () => {
	it("is due once in a second, for each gate", () => {
		const sample = new GateSample();
		assert.equal(sample.isDue("a", 5), true);
		sample.keep("a", 5, request("/"));
		assert.equal(sample.isDue("a", 5 + SAMPLED_EVERY_MS - 1), false);
		assert.equal(sample.isDue("b", 6), true);
		assert.equal(sample.isDue("a", 5 + SAMPLED_EVERY_MS), true);
	});

	it("keeps the last requests of a gate, newest first", () => {
		const sample = new GateSample();
		for (let at = 1; at <= SAMPLED_KEPT + 5; at++) sample.keep("a", at * SAMPLED_EVERY_MS, request(`/${at}`));
		const paths = sample.of("a").map(({ path }) => path);
		assert.deepEqual([paths.length, paths[0], paths.at(-1)], [SAMPLED_KEPT, `/${SAMPLED_KEPT + 5}`, "/6"]);
		assert.deepEqual(sample.of("b"), []);
	});

	it("forgets the gate that was sampled least recently above the limit", () => {
		const sample = new GateSample();
		for (let gate = 1; gate <= SAMPLED_GATES_MAX; gate++) sample.keep(`${gate}`, gate, request("/"));
		sample.keep("1", SAMPLED_EVERY_MS + 1, request("/"));
		sample.keep("new", SAMPLED_EVERY_MS + 2, request("/"));
		const counts = ["1", "2", "3", "new"].map((gate) => sample.of(gate).length);
		assert.deepEqual(counts, [2, 0, 1, 1]);
	});

	it("keeps no request of unbounded size", () => {
		const sample = new GateSample();
		sample.keep("a", 1, request(`/${"x".repeat(500)}`));
		sample.keep("a", 1, request("/", { method: "X".repeat(33) }));
		sample.keep("a", 1, request("/", { permissions: Array.from({ length: 101 }, (_, at) => `p:${at}`) }));
		assert.deepEqual(sample.of("a"), []);
	});
});
