import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hasMixedScripts } from "./mixed-scripts.ts";

describe("hasMixedScripts", () => {
	it("finds a word with letters of several scripts", () => {
		for (const text of [
			"\u0420\u0430ypal",
			"Invoices of \u0430cme",
			"G\u03bfogle",
			"\u0391cme",
			"A\u0561me",
			"\u13aacme",
			"a1\u0431",
			"\u0430\u5f20",
			"\u0935\u0ae7\u0a95",
		])
			assert.equal(hasMixedScripts(text), true, text);
	});

	it("passes words of one script, also beside words of another", () => {
		for (const text of [
			"",
			"Ada Lovelace",
			"Z\u00fcrich \u00b5Torrent 5\u03a9",
			"\u042f\u043d\u0434\u0435\u043a\u0441 API",
			"IT-\u043e\u0442\u0434\u0435\u043b",
			"\u5fae\u4fe1API",
			"\u30ab\u30bf\u30ab\u30ca\u3068\u6f22\u5b57 v2",
			"\ud55c\uad6d\u6f22",
			"\u0e41\u0e2d\u0e1bLINE",
			"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
			"\u05d0\u05d1\u05d2 \u0627\u0628\u062a",
			"e\u0301te\u0301",
			"\u{1f468}\u200d\u{1f469} a",
		])
			assert.equal(hasMixedScripts(text), false, text);
	});
});
