import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseLocale } from "./locale.ts";
import { isMailAddress } from "./mail-transport.ts";

describe("parseLocale", () => {
	for (const [header, locale] of [
		[undefined, "en"],
		["", "en"],
		["zh", "zh-CN"],
		["zh-CN", "zh-CN"],
		["ZH-hans", "zh-CN"],
		["zh-Hans-CN", "zh-CN"],
		["zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"],
		["zh-TW,zh;q=0.9,en;q=0.8", "zh-CN"],
		["zh-TW", "en"],
		["zh-Hant", "en"],
		["en-GB,en;q=0.9,zh-CN;q=0.8", "en"],
		["en;q=0.3, zh;q=0.4", "zh-CN"],
		["en;q=0.5,zh;q=0.5", "en"],
		["de-DE, zh;q=0.5", "zh-CN"],
		["fr", "en"],
		["zh;q=0", "en"],
		["zh;q=0.000, en;q=0.001", "en"],
		["*", "en"],
		["zh;q=2", "en"],
		["zh;q=0.1234", "en"],
		["zh;q=", "en"],
		["zh;q=1;q=1", "en"],
		["zh ; q=0.7 , en ; q=0.2", "zh-CN"],
		["zhongwen", "en"],
		[";;;,,,q=,\u0000", "en"],
	] as const) {
		test(`${JSON.stringify(header)} is ${locale}`, () => assert.equal(parseLocale(header), locale));
	}

	for (const [header, locale] of [
		["fr-CA", "fr"],
		["fr", "fr"],
		["pt", "pt-BR"],
		["pt-PT", "pt-BR"],
		["zh-TW", "zh-TW"],
		["zh-Hant", "en"],
		["zh", "zh-CN"],
		["de, fr;q=0.5, en;q=0.4", "fr"],
	] as const)
		test(`${header} is ${locale} where there are more languages`, () =>
			assert.equal(parseLocale(header, ["en", "zh-CN", "fr", "pt-BR", "zh-TW"]), locale));

	test("a huge header takes linear time", () => {
		assert.equal(parseLocale(`zh,${"a-".repeat(500_000)}`), "zh-CN");
		assert.equal(parseLocale(`${" ".repeat(1_000_000)}zh`), "en");
		// Quadratic time would be hours: the runner would end the process.
	});
});

describe("isMailAddress", () => {
	for (const address of [
		"a@b.c",
		"ada.lovelace+x@example.co.uk",
		"admin@localhost",
		"o'neil@x.org",
		"a..b@docomo.ne.jp",
	]) {
		test(`${address} is valid`, () => assert.equal(isMailAddress(address), true));
	}
	for (const text of [
		"a@b.c,evil@x.y",
		"a@b.c;evil@x.y",
		"a@b.c evil@x.y",
		"a@b.c\r\nBcc: evil@x.y",
		"a@b.c\n",
		"Name <a@b.c>",
		"<a@b.c>",
		'"a@b.c,"@x.y',
		"a@b@c.d",
		"a(b)@c.d",
		"group:a@b.c;",
		"a@[127.0.0.1]",
		"ä@b.c",
		"a@bücher.de",
		"a@b..c",
		"a@",
		"@b.c",
		"",
		`${"a".repeat(65)}@b.c`,
		`${"a".repeat(60)}@${"b.".repeat(96)}cc`,
	]) {
		test(`${JSON.stringify(text.slice(0, 40))} is invalid`, () => assert.equal(isMailAddress(text), false));
	}
});
