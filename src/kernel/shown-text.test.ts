import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ShownText, shownTextProblem, withoutHidden } from "./shown-text.ts";

function hiddenIn(text: string, kind: ShownText = "line") {
	const found = shownTextProblem(text, kind);
	assert.ok(found === undefined || found.code === "hidden_character", text);
	return found?.params.character;
}

describe("shownTextProblem", () => {
	it("names the first control, format, separator, or surrogate character", () => {
		for (const [text, character] of [
			["Invoices\u202efdp.exe", "U+202E"],
			["\u200b\u200b\u200b", "U+200B"],
			["a\u2066b\u2069", "U+2066"],
			["a\0b", "U+0000"],
			["a\u2028b", "U+2028"],
			["a\u2029b", "U+2029"],
			["a\u00adb", "U+00AD"],
			["a\ufeff", "U+FEFF"],
			["a\ud800", "U+D800"],
			["a\u{e0041}", "U+E0041"],
			["a\nb", "U+000A"],
		] as const)
			for (const kind of ["line", "name"] as const)
				assert.equal(hiddenIn(text, kind), character, JSON.stringify(text));
	});

	it("passes joiners between letters and within emoji, and refuses them elsewhere", () => {
		for (const text of [
			"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
			"\u0915\u094d\u200d\u0937",
			"\u09b0\u200d\u09cd\u09af\u09be\u09ac",
			"\u0d28\u0d4d\u200d",
			"\u0d28\u0d4d\u200d \u0d28",
			"\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
			"\u{1f469}\u{1f3fd}\u200d\u{1f4bb}",
			"\u2764\ufe0f\u200d\u{1f525}",
		])
			assert.equal(hiddenIn(text), undefined, text);
		for (const text of [
			"\u200da",
			"a\u200d",
			"a \u200db",
			"a\u200d\u200db",
			"a\u200d\ufe0f",
			"\u{1f468}\u200d",
			"\u0d4d\u200d\u200d",
		])
			assert.equal(hiddenIn(text), "U+200D", JSON.stringify(text));
		assert.equal(hiddenIn("\u{1f468}\u200c\u{1f469}"), "U+200C");
	});

	it("passes line feeds and tabs in texts of several lines, and nothing else", () => {
		assert.equal(hiddenIn("a\n\tb", "lines"), undefined);
		assert.equal(hiddenIn("a\n\u202eb", "lines"), "U+202E");
		assert.equal(hiddenIn("a\rb", "lines"), "U+000D");
	});

	it("requires one visible letter or digit of names only", () => {
		for (const name of ["A", "7", "\u5f20", "\u{1f389} x", "\u05d3\u05d5\u05d3", "e\u0301", "", " "])
			assert.equal(shownTextProblem(name, "name"), undefined, name);
		for (const name of ["\u2800", "\u3164", "\u115f", "\ufe0f", "..."]) {
			assert.equal(shownTextProblem(name, "name")?.code, "no_visible_character", JSON.stringify(name));
			assert.equal(shownTextProblem(name, "line"), undefined);
		}
	});
});

describe("withoutHidden", () => {
	it("replaces every hidden character and keeps joiners that shape text", () => {
		const mark = (hidden: string) => `<${hidden.codePointAt(0)?.toString(16)}>`;
		assert.equal(withoutHidden("a\u202eb\u{e0041}\nc", "line", mark), "a<202e>b<e0041><a>c");
		assert.equal(withoutHidden("a\nb\rc", "lines", mark), "a\nb<d>c");
		assert.equal(
			withoutHidden("\u{1f468}\u200d\u{1f469} \u200d\ud800", "line", mark),
			"\u{1f468}\u200d\u{1f469} <200d><d800>",
		);
	});
});
