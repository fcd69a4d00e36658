import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { splitDocument } from "./split-document.ts";
import type { Line } from "./split-lines.ts";

/** In chunks of `size` bytes. */
async function split(text: string, size = 7): Promise<Line[]> {
	const bytes = Buffer.from(text);
	async function* chunks() {
		for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
	}
	const lines: Line[] = [];
	for await (const line of splitDocument(chunks())) lines.push(line);
	return lines;
}

describe("splitDocument", () => {
	const documents: readonly (readonly [string, string, unknown[]])[] = [
		["a list", '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
		["a member users", '{"users":[{"a":1},{"a":2}]}', [{ a: 1 }, { a: 2 }]],
		[
			"members before and after, nested ones of the same name too",
			'{"realm":"x","roles":{"users":[1,2],"list":[3]},"x":[{"users":[4]}],"users":[{"a":1}],"more":[{"b":2}]}',
			[{ a: 1 }],
		],
		[
			"brackets, commas and quotes in texts",
			'{"users":[{"a":"]},{\\"[\\\\"},{"b":","}]}',
			[{ a: ']},{"[\\' }, { b: "," }],
		],
		["nested lists", '[{"a":[1,[2,{"b":[]}]]},{"c":{}}]', [{ a: [1, [2, { b: [] }]] }, { c: {} }]],
		["elements that are not objects", '{"users":[1,"x,y",[2,3],null]}', [1, "x,y", [2, 3], null]],
		["no elements", '{"users": [ ] }', []],
		["characters of several bytes", '[{"a":"漢字🔑"}]', [{ a: "漢字🔑" }]],
		["a byte order mark", '\ufeff[{"a":1}]', [{ a: 1 }]],
	];
	for (const [name, text, elements] of documents)
		it(`splits ${name}, wherever chunks end`, async () => {
			for (const size of [1, 2, 3, 7, 1_000]) {
				const lines = await split(text, size);
				assert.deepEqual(
					lines.map((line) => JSON.parse(line.text ?? "undefined")),
					elements,
				);
			}
		});

	it("numbers elements by the line where they begin", async () => {
		const lines = await split(
			'{\n  "users": [\n    {\n      "a": 1\n    },\n\n    {"a": 2}, {"a": 3}\n  ]\n}\n',
		);
		assert.deepEqual(
			lines.map(({ number }) => number),
			[3, 7, 7],
		);
	});

	it("reports the problem of the document at its end", async () => {
		assert.deepEqual(await split('{"realm":"x"}'), [
			{ number: 1, text: undefined, problem: "has no list of users" },
		]);
		const cut = await split('{"users":[\n{"a":1},\n{"b":');
		assert.deepEqual(cut, [
			{ number: 2, text: '{"a":1}' },
			{ number: 3, text: undefined, problem: "ends before the document does" },
		]);
	});

	it("keeps only the length of an element that is too long, and continues after it", async () => {
		const lines = await split(`[{"a":"${"x".repeat(70_000)}"},{"a":2}]`, 10_000);
		assert.deepEqual(lines, [
			{ number: 1, text: undefined },
			{ number: 1, text: '{"a":2}' },
		]);
	});
});
