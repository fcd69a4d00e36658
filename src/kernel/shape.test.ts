import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { either, isNumber, isText, listOf, objectOf, oneOf, optional, parseJson } from "./shape.ts";

const isOrder = objectOf({
	id: isText,
	lines: listOf(objectOf({ count: isNumber })),
	note: optional(isText),
	ship: either(isText, listOf(isText)),
	state: oneOf(["new", "sent"]),
});
const ORDER = { id: "a", lines: [{ count: 1 }], ship: ["b", "c"], state: "new" };

describe("a shape", () => {
	it("accepts a value whose declared members match, regardless of others", () => {
		assert.equal(isOrder(ORDER), true);
		assert.equal(isOrder({ ...ORDER, note: "soon", ship: "b", other: 1 }), true);
	});

	for (const [name, value] of Object.entries({
		"a member of another type": { ...ORDER, id: 1 },
		"an item of another type": { ...ORDER, lines: [{ count: "1" }] },
		"null for an optional member": { ...ORDER, note: null },
		"an unknown choice": { ...ORDER, state: "lost" },
		"a list": [ORDER],
		null: null,
	}))
		it(`refuses ${name}`, () => assert.equal(isOrder(value), false));
});

describe("parseJson", () => {
	it("returns the value", () => assert.deepEqual(parseJson(isOrder, JSON.stringify(ORDER)), ORDER));
	it("throws for a value of another shape, without showing it", () =>
		assert.throws(() => parseJson(isText, '{"secret":1}'), {
			name: "TypeError",
			message: /^((?!secret).)*$/,
		}));
});
