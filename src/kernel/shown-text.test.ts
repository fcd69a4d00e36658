import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hiddenCharacter, isReadableName } from "./shown-text.ts";

describe("hiddenCharacter", () => {
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
			assert.equal(hiddenCharacter(text), character, JSON.stringify(text));
	});

	it("passes joiners between letters and within emoji, and refuses them elsewhere", () => {
		for (const text of [
			"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
			"\u0915\u094d\u200d\u0937",
			"\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
			"\u{1f469}\u{1f3fd}\u200d\u{1f4bb}",
			"\u2764\ufe0f\u200d\u{1f525}",
		])
			assert.equal(hiddenCharacter(text), undefined, text);
		for (const text of ["\u200da", "a\u200d", "a \u200db", "a\u200d\u200db", "\u{1f468}\u200d"])
			assert.equal(hiddenCharacter(text), "U+200D", JSON.stringify(text));
		assert.equal(hiddenCharacter("\u{1f468}\u200c\u{1f469}"), "U+200C");
	});

	it("passes line feeds and tabs in texts of several lines, and nothing else", () => {
		assert.equal(hiddenCharacter("a\n\tb", "lines"), undefined);
		assert.equal(hiddenCharacter("a\n\u202eb", "lines"), "U+202E");
		assert.equal(hiddenCharacter("a\rb", "lines"), "U+000D");
	});
});

describe("isReadableName", () => {
	it("needs one visible letter or digit", () => {
		for (const name of ["A", "7", "\u5f20", "\u{1f389} x"]) assert.equal(isReadableName(name), true, name);
		for (const name of ["", " ", "\u2800", "\u3164", "\u115f", "\ufe0f", "...", "\u200b"])
			assert.equal(isReadableName(name), false, JSON.stringify(name));
	});
});
