import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseEmailAddress } from "./email-address.ts";

describe("parseEmailAddress", () => {
	const good = [
		["ada@example.com", "ada@example.com"],
		["  Ada.Lovelace+x@Mail.Example.COM ", "ada.lovelace+x@mail.example.com"],
		["admin@localhost", "admin@localhost"],
		["jo@dömäin.test", "jo@xn--dmin-moa0i.test"],
		["Jo@DÖMÄIN.test", "jo@xn--dmin-moa0i.test"],
		["jo@XN--DMIN-MOA0I.test", "jo@xn--dmin-moa0i.test"],
		["jo@do\u0308ma\u0308in.test", "jo@xn--dmin-moa0i.test"],
		["a@例子。测试", "a@xn--fsqu00a.xn--0zwm56d"],
		["a@ｅｘａｍｐｌｅ.com", "a@example.com"],
		["ada@2a.example2", "ada@2a.example2"],
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
		"ada@1.2",
		"1@2.3",
		"ada@example.0x7f",
		"ada@10.0.0.256",
		"ada@\uff11.\uff12",
		"ada@exa%mple.de",
		"ada@ex\u00e4mple.com@example.com",
		"ada@ex ämple.com",
		"ada@\u00ad\u00e4..com",
		"ada\n@example.com",
		// In lower case, the Kelvin sign becomes an ASCII letter, which would be a different address.
		"\u212Aate@example.com",
		"ada\u0130@example.com",
		`${"a".repeat(65)}@example.com`,
		`${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.com`,
	];
	for (const text of bad) test(`refuses ${text}`, () => assert.equal(parseEmailAddress(text), undefined));
});
