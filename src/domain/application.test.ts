import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newId } from "../kernel/id.ts";
import { SLUG, SLUG_MAX, slugCandidates } from "./application.ts";
import { PERMISSION, ROLE_NAME } from "./application-role.ts";

describe("slugCandidates", () => {
	const id = "01a1fbba-b753-7000-94ba-cf3df68c8b5d";

	for (const [name, slug] of [
		["Shop", "shop"],
		["  My  Shop & Co. ", "my-shop-co"],
		["Ünïcode Straße № 5", "unicode-stra-e-no-5"],
		["ＦＵＬＬ ｗｉｄｔｈ", "full-width"],
		["商店", "app"],
		["🚀", "app"],
		["---", "app"],
		["a--b", "a-b"],
		["x".repeat(200), "x".repeat(55)],
		[`${"x".repeat(54)} tail`, "x".repeat(54)],
	] as const) {
		it(`derives ${slug.slice(0, 20)} from ${JSON.stringify(name.slice(0, 20))}`, () => {
			assert.deepEqual(slugCandidates(name, id), [slug, `${slug}-f68c8b5d`]);
		});
	}

	it("creates a valid slug from any name", () => {
		const alphabet = ["a", "Z", "9", "-", " ", "ß", "é", "商", "🚀", "İ", "ﬁ", "\u0301"];
		let state = 7;
		for (let round = 0; round < 2_000; round++) {
			let name = "";
			for (let length = round % 90; length > 0; length--) {
				state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
				name += alphabet[state % alphabet.length];
			}
			for (const slug of slugCandidates(name, newId(1))) {
				assert.match(slug, SLUG, JSON.stringify(name));
				assert.ok(slug.length <= SLUG_MAX);
			}
		}
	});
});

describe("PERMISSION", () => {
	for (const permission of ["*", "a", "orders:read", "orders:*", "a:b:c:*", "A.b_c-d:1", "x".repeat(128)])
		it(`accepts ${permission.slice(0, 20)}`, () => assert.match(permission, PERMISSION));
	for (const permission of [
		"",
		":",
		"a:",
		":a",
		"a::b",
		"*:a",
		"a*",
		"a:*:b",
		"**",
		"a b",
		"a:**",
		"é",
		"a\n",
	])
		it(`refuses ${JSON.stringify(permission)}`, () => assert.doesNotMatch(permission, PERMISSION));
});

describe("ROLE_NAME", () => {
	for (const name of ["a", "Editor", "team:lead", "a1._:-", `a${"b".repeat(63)}`])
		it(`accepts ${name.slice(0, 20)}`, () => assert.match(name, ROLE_NAME));
	for (const name of ["", "1a", "-a", "a b", "é", `a${"b".repeat(64)}`, "a\n"])
		it(`refuses ${JSON.stringify(name.slice(0, 20))}`, () => assert.doesNotMatch(name, ROLE_NAME));
});
