import assert from "node:assert/strict";
import { test } from "node:test";
import { perShared } from "./per-shared.ts";

test("a result is computed once for a frozen input, and each time for one that may change", () => {
	const lengthOf = perShared(({ text }: { text: string }) => ({ length: text.length, of: [text] }));
	const frozen = Object.freeze({ text: "abc" });
	assert.equal(lengthOf(frozen), lengthOf(frozen));
	assert.notEqual(lengthOf(frozen), lengthOf(Object.freeze({ text: "abc" })));
	const open = { text: "abc" };
	assert.deepEqual(lengthOf(open), { length: 3, of: ["abc"] });
	open.text = "abcd";
	assert.deepEqual(lengthOf(open), { length: 4, of: ["abcd"] });
	assert.ok(Object.isFrozen(lengthOf(frozen)) && Object.isFrozen(lengthOf(frozen).of));
});
