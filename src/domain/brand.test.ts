import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brandOf, maySend, readableOn } from "./brand.ts";

const INSTALLATION = {
	productName: "Latchkey",
	logoUrl: "",
	accentColor: "#1f4fd8",
	supportEmail: "help@example.org",
	senderName: "Latchkey",
	senderAddress: "no-reply@example.org",
};
const NONE = {
	productName: "",
	logoUrl: "",
	accentColor: "",
	supportEmail: "",
	senderName: "",
	senderAddress: "",
};

describe("a brand", () => {
	test("is the installation's where the tenant has none", () => {
		const own = { ...NONE, productName: "Looms", accentColor: "#ffff00" };
		assert.deepEqual(brandOf(INSTALLATION, own), {
			...INSTALLATION,
			productName: "Looms",
			accentColor: "#ffff00",
			onAccentColor: "#000000",
		});
		assert.deepEqual(brandOf(INSTALLATION, undefined), { ...INSTALLATION, onAccentColor: "#ffffff" });
	});

	test("sends from the installation's domain only", () => {
		assert.ok(maySend(INSTALLATION, "looms@EXAMPLE.org"));
		for (const address of ["a@example.com", "a@sub.example.org", "a@xexample.org"])
			assert.equal(
				brandOf(INSTALLATION, { ...NONE, senderAddress: address }).senderAddress,
				"no-reply@example.org",
			);
	});

	test("has readable text on its colour", () => {
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
