import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createKeyedDigest } from "./keyed-digest.ts";

describe("createKeyedDigest", () => {
	it("gives 32 characters of one byte, the same for the same text and key only", () => {
		const digest = createKeyedDigest();
		assert.match(digest("text"), /^[\0-\xff]{32}$/);
		assert.equal(digest("text"), digest("text"));
		assert.notEqual(digest("text"), digest("text "));
		assert.notEqual(digest("text"), createKeyedDigest()("text"));
	});

	it("spreads over all bytes", () => {
		const digest = createKeyedDigest();
		const bytes = new Set<number>();
		for (let count = 0; count < 1_000; count++)
			for (const byte of digest(`${count}`)) bytes.add(byte.charCodeAt(0));
		assert.equal(bytes.size, 256);
	});
});
