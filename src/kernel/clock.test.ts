import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isoTime, isoTimeOrNull } from "./clock.ts";

describe("isoTime", () => {
	it("writes a time with milliseconds and Z", () => {
		assert.equal(isoTime(Date.UTC(2026, 10, 20, 8)), "2026-11-20T08:00:00.000Z");
		assert.equal(isoTime(0), "1970-01-01T00:00:00.000Z");
		assert.equal(isoTime(-1), "1969-12-31T23:59:59.999Z");
	});

	it("refuses NaN and infinity", () => {
		assert.throws(() => isoTime(Number.NaN), RangeError);
		assert.throws(() => isoTime(Number.POSITIVE_INFINITY), RangeError);
	});

	it("returns null for null", () => {
		assert.equal(isoTimeOrNull(null), null);
		assert.equal(isoTimeOrNull(1), "1970-01-01T00:00:00.001Z");
	});
});
