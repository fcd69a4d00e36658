import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseEmailAddress } from "./email-address.ts";

describe("parseEmailAddress", () => {
	const good = [
		["ada@example.com", "ada@example.com"],
		["  Ada.Lovelace+x@Mail.Example.COM ", "ada.lovelace+x@mail.example.com"],
		["admin@localhost", "admin@localhost"],
		[`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
	] as const;
	for (const [text, address] of good)
		test(`accepts ${text}`, () => assert.equal(parseEmailAddress(text), address));

	const bad = [
		"",
		"@example.com",
		"ada@",
		"ada",
		"a@b@example.com",
		".ada@example.com",
		"ada.@example.com",
		"a..b@example.com",
		'"a b"@example.com',
		"a,b@example.com",
		"ada@example.com;eve@example.com",
		"ada@-example.com",
		"ada@example..com",
		"ädä@example.com",
		"ada@exämple.com",
		"ada\n@example.com",
		// In lower case, the Kelvin sign becomes an ASCII letter, which would be a different address.
		"\u212Aate@example.com",
		"ada\u0130@example.com",
		`${"a".repeat(65)}@example.com`,
		`${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.com`,
	];
	for (const text of bad) test(`refuses ${text}`, () => assert.equal(parseEmailAddress(text), undefined));
});
