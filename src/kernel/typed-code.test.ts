import assert from "node:assert/strict";
import { test } from "node:test";
import { typedCode } from "./typed-code.ts";

test("reads the digits of every script, with spaces and dashes of every kind", () => {
	for (const typed of [
		"123456",
		" 123 456 ",
		"１２３４５６",
		"١٢٣٤٥٦",
		"۱۲۳۴۵۶",
		"१२३४५६",
		"𝟙𝟚𝟛𝟜𝟝𝟞",
		"𞥑𞥒𞥓𞥔𞥕𞥖",
		"123\u2013456",
		"123\u2212456",
		"123\u00a0456",
		"123\u3000456",
		"\u200f123\u2011456\u200e",
	])
		assert.equal(typedCode(typed), "123456", JSON.stringify(typed));
});

test("gives every decimal digit of Unicode its value, and keeps other characters", () => {
	const seen = new Map<string, number>();
	for (let point = 0; point <= 0x10ffff; point++)
		if (/\p{Nd}/u.test(String.fromCodePoint(point))) {
			const value = typedCode(String.fromCodePoint(point));
			assert.match(value, /^[0-9]$/);
			seen.set(value, (seen.get(value) ?? 0) + 1);
		}
	assert.equal(new Set(seen.values()).size, 1);
	assert.equal(typedCode("b-c²"), "bc2");
});
