import assert from "node:assert/strict";
import { test } from "node:test";
import { toWireApplication } from "./interaction-wire.ts";

test("shows the logo of an application, and none of a program", () => {
	const logoUrl = "https://shop.example/logo.png";
	const shown = { name: "Shop", homepageUrl: "", logoUrl };
	assert.equal(toWireApplication("a", { ...shown, kind: "application" }).logo_url, logoUrl);
	assert.equal(toWireApplication("a", { ...shown, kind: "program" }).logo_url, "");
});
