import assert from "node:assert/strict";
import { test } from "node:test";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";

describePages("/", (pages) => {
	test("introduces the product and links to sign-in, portal, and documentation", async () => {
		const { page, noTroubles } = await pages.open("/");
		await page.getByRole("heading", { level: 1, name: "Welcome to Latchkey" }).waitFor();
		for (const path of ["/sign-in", "/portal", "/docs"])
			assert.equal(await page.locator(`main a[href="${path}"]`).count(), 1, path);
		await assertAccessible(page);
		await tabAndPress(page, "API reference");
		await page.waitForURL(`${PAGES_URL}/docs`);
		noTroubles();
	});

	test("uses the language of the browser", async () => {
		const { page, noTroubles } = await pages.open("/", { locale: "zh-CN" });
		await page.getByRole("heading", { level: 1, name: "欢迎使用 Latchkey" }).waitFor();
		assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
		noTroubles();
	});
});
