import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { problem } from "./field-reason.ts";

describe("problem", () => {
	it("renders the text of its code with the parameters", () => {
		assert.deepEqual(problem("whole_number", { min: 1, max: 100 }), {
			code: "whole_number",
			params: { min: 1, max: 100 },
			message: "must be a whole number from 1 to 100",
		});
		assert.deepEqual(problem("required"), { code: "required", params: {}, message: "is required" });
		assert.equal(problem("one_of", { values: ["a", "b"] }).message, "must be one of a, b");
	});

	it("replaces no placeholder within a parameter", () => {
		assert.equal(
			problem("pattern_mismatch", { pattern: "^{pattern}$&{2}$" }).message,
			"must match ^{pattern}$&{2}$",
		);
	});

	it("compiles only with exactly the parameters of its code", () => {
		// @ts-expect-error a missing parameter
		problem("characters_max");
		// @ts-expect-error a parameter of another code
		problem("characters_max", { min: 3 });
		// @ts-expect-error a code without parameters
		problem("required", { max: 3 });
	});
});
