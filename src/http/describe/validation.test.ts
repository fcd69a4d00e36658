import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { problem } from "../../kernel/field-reason.ts";
import {
	allOf,
	boolean,
	choice,
	email,
	integer,
	list,
	multilineText,
	nameText,
	nullable,
	object,
	optional,
	type Schema,
	secretText,
	text,
	timeInput,
	trimmedText,
	uuid,
	webUrl,
} from "./schema.ts";
import { validator } from "./validation.ts";

const check = (schema: Schema<unknown>, value: unknown) => validator(schema)(value);
const one = (schema: Schema<unknown>, value: unknown): unknown => {
	const body = { field: value };
	const result = check(object({ field: schema }), body);
	return result === true ? body.field : result[0]?.message;
};

describe("text", () => {
	it("counts code points after trimming, at the edge and one past it", () => {
		assert.equal(one(text({ max: 3 }), "  a\u{1f600}b \n"), "a\u{1f600}b");
		assert.equal(one(text({ max: 3 }), "a\u{1f600}bc"), "must be at most 3 characters");
	});

	it("refuses blanks where something is required, allows them where not", () => {
		assert.equal(one(text({ max: 3 }), " \u00a0\t"), "must not be blank");
		assert.equal(one(text({ min: 0, max: 3 }), " "), "");
	});

	it("refuses hidden characters, naming them, and other types", () => {
		for (const schema of [text({ max: 9 }), nameText({ max: 9 }), multilineText({ max: 9 })])
			for (const [wrong, name] of [
				["a\0b", "U+0000"],
				["a\ud800b", "U+D800"],
				["a\u202eb", "U+202E"],
				["a\rb", "U+000D"],
			] as const)
				assert.match(String(one(schema, wrong)), new RegExp(`must not contain ${name.replace("+", "\\+")},`));
		assert.match(String(one(text({ max: 9 }), "a\nb")), /U\+000A/);
		assert.match(String(one(trimmedText({ max: 9 }), "a\0b")), /NUL/);
		assert.match(String(one(webUrl(), "https://a.example/\u202e")), /U\+202E/);
		for (const wrong of [1, true, null, [], {}])
			assert.equal(one(text({ max: 9 }), wrong), "must be of type string");
	});

	it("takes lines with LF and tab in texts of several lines, and turns CRLF into LF", () => {
		assert.equal(one(multilineText({ max: 9 }), " a\r\n\tb\n"), "a\n\tb");
	});

	it("requires a visible character of a name, which may be empty", () => {
		assert.match(String(one(nameText({ max: 9 }), "\u3164")), /visible letter or digit/);
		assert.equal(one(nameText({ max: 9 }), " "), "must not be blank");
		assert.equal(one(nameText({ min: 0, max: 9 }), " "), "");
	});

	it("looks up text exactly, without surrounding spaces", () => {
		assert.equal(one(trimmedText({ max: 9 }), " a\u202eb "), "a\u202eb");
	});

	it("takes secrets exactly as sent", () => {
		assert.equal(one(secretText({ max: 9 }), " a "), " a ");
	});
});

describe("email", () => {
	it("trims and lower-cases", () => assert.equal(one(email(), " Ada@Example.ORG "), "ada@example.org"));

	const local = "a".repeat(64);
	const domain = `${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;
	it("takes 254 characters and no more", () => {
		assert.equal(`${local}@${domain}`.length, 254);
		assert.equal(one(email(), `${local}@${domain}`), `${local}@${domain}`);
		assert.match(String(one(email(), `${local}@${domain}d`)), /254/);
	});

	for (const bad of [
		"",
		"a",
		"@b.c",
		"a@",
		"a@b@c",
		"a b@c.d",
		"a,b@c.d",
		"a@b.c,e@f.g",
		"Ada <a@b.c>",
		"ä@b.c",
		"ä@b.de",
		"a@b\n.c",
		".a@b.c",
		"a..b@c.d",
		"a@-b.c",
		"a\u200b@b.c",
	]) {
		it(`refuses ${JSON.stringify(bad)}`, () => assert.match(String(one(email(), bad)), /one ASCII email/));
	}
});

describe("the other kinds", () => {
	it("checks them by their text", () => {
		assert.equal(one(uuid(), "0190A6C2-0000-7000-8000-00000000000A"), "0190a6c2-0000-7000-8000-00000000000a");
		assert.equal(one(uuid(), "0190a6c2-0000-7000-8000-00000000000"), "must be a UUID");
		assert.match(String(one(timeInput(), "2026-02-30T00:00:00Z")), /ISO 8601/);
		assert.match(String(one(timeInput(), "2026-02-28T00:00:00")), /zone/);
		assert.equal(one(timeInput(), "2026-02-28T01:00:00+01:00"), "2026-02-28T00:00:00.000Z");
		assert.equal(one(webUrl(), "https://example.org/a"), "https://example.org/a");
		assert.match(String(one(webUrl(), "javascript:alert(1)")), /http or https/);
		assert.match(String(one(webUrl(), "https://u:p@example.org")), /credentials/);
		assert.equal(one(integer({ min: 0, max: 5 }), 6), "must be at most 5");
		assert.equal(one(integer({ min: 0 }), 1.5), "must be of type integer");
		assert.equal(one(boolean(), "true"), "must be of type boolean");
		assert.equal(one(choice(["a", "b"]), "c"), "must be one of a, b");
		assert.equal(one(nullable(text({ max: 2 })), null), null);
	});

	it("names the place in a list", () => {
		const result = check(object({ items: list(text({ max: 2 }), { max: 3 }) }), {
			items: ["ok", "too long"],
		});
		assert.deepEqual(result, [{ field: "items.1", ...problem("characters_max", { max: 2 }) }]);
	});
});

describe("objects", () => {
	const schema = object({ name: text({ max: 5 }), note: optional(text({ min: 0, max: 5 })) });

	it("names every field that is wrong, once", () => {
		assert.deepEqual(check(schema, { note: "123456" }), [
			{ field: "name", ...problem("required") },
			{ field: "note", ...problem("characters_max", { max: 5 }) },
		]);
	});

	it("joins two objects, whether their fields are required or not", () => {
		const none = object({ note: optional(text({ max: 5 })) });
		const some = object({ name: text({ max: 5 }) });
		assert.equal(check(allOf(none, none), {}), true);
		for (const both of [allOf(none, some), allOf(some, none)])
			assert.deepEqual(check(both, { note: "123456" }), [
				{ field: "name", ...problem("required") },
				{ field: "note", ...problem("characters_max", { max: 5 }) },
			]);
	});

	it("ignores unknown fields and refuses values that are not objects", () => {
		assert.equal(check(schema, { name: "a", other: { deep: [1] } }), true);
		for (const wrong of [[], "x", 1, null])
			assert.deepEqual(check(schema, wrong), [{ field: "", ...problem("type", { type: "object" }) }]);
	});
});
