import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brandOf, maySend, readableOn, UNSET_BRAND } from "./brand.ts";

const INSTALLATION = {
	...UNSET_BRAND,
	productName: "Latchkey",
	accentColor: "#1f4fd8",
	supportEmail: "help@example.org",
	senderName: "Latchkey",
	senderAddress: "no-reply@example.org",
};
describe("a brand", () => {
	test("falls back to that of the installation", () => {
		const own = { ...UNSET_BRAND, productName: "Looms", accentColor: "#ffff00" };
		assert.deepEqual(brandOf(INSTALLATION, own), {
			...INSTALLATION,
			productName: "Looms",
			accentColor: "#ffff00",
			onAccentColor: "#000000",
		});
		assert.deepEqual(brandOf(INSTALLATION, undefined), { ...INSTALLATION, onAccentColor: "#ffffff" });
	});

	test("sends only from the installation's address, its subaddresses, and listed addresses", () => {
		const listed = ["shop@example.com"];
		const senderOf = (senderAddress: string) =>
			brandOf(INSTALLATION, { ...UNSET_BRAND, senderAddress }, listed).senderAddress;
		for (const address of ["No-Reply@EXAMPLE.org", "no-reply+looms@example.org", "shop@example.com"]) {
			assert.ok(maySend(INSTALLATION, listed, address), address);
			assert.equal(senderOf(address), address);
		}
		for (const address of [
			"ceo@example.org",
			"no-reply@example.com",
			"no-reply+looms@example.com",
			"no-reply+looms@sub.example.org",
			"no-reply@xexample.org",
			"xno-reply+a@example.org",
			"no-replyx@example.org",
			"ceo+no-reply@example.org",
			"shop+a@example.com",
		])
			assert.equal(senderOf(address), "no-reply@example.org", address);
		assert.equal(maySend(INSTALLATION, [], "shop@example.com"), false);
	});

	test("has readable text on its color", () => {
		for (const [color, text] of [
			["#000000", "#ffffff"],
			["#ffffff", "#000000"],
			["#1f4fd8", "#ffffff"],
			["#ffcc00", "#000000"],
			["#757575", "#ffffff"],
			["#777777", "#000000"],
		] as const)
			assert.equal(readableOn(color), text, color);
	});
});
