import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseUserCode } from "./device-code.ts";

describe("parseUserCode", () => {
	it("ignores case, spaces, and dashes of any kind", () => {
		for (const typed of [
			"BCDF-GHJK",
			"bcdfghjk",
			" b c d f – g h j k ",
			"BCDF‐GHJK",
			"ＢＣＤＦ－ＧＨＪＫ",
			"-bcdf--ghjk-",
		])
			assert.equal(parseUserCode(typed), "BCDFGHJK", typed);
	});

	it("returns undefined for text that cannot be a code", () => {
		for (const typed of [
			"",
			"BCDFGHJ",
			"BCDFGHJKL",
			"BCDF_GHJK",
			"ACDFGHJK",
			"BCDF1GHJ",
			"BCDFGHJÄ",
			"BCDF\u0000GHJK",
		])
			assert.equal(parseUserCode(typed), undefined, typed);
	});
});
