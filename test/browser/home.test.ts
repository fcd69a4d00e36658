import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { BROWSER_SKIPPED } from "../harness/browser.ts";
import {
	fitsEveryWidth,
	noAxeViolations,
	noTroubles,
	openPages,
	PAGES_URL,
	type PagesUnderTest,
	tabTo,
} from "../harness/pages.ts";

describe("/", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	let pages: PagesUnderTest;
	before(async () => {
		pages = await openPages();
	});
	after(() => pages?.[Symbol.asyncDispose]());

	test("says what this is and leads to the three ways in", async () => {
		const watched = await pages.open("/");
		const { page, context } = watched;
		await page.getByRole("heading", { level: 1, name: "Welcome to Latchkey" }).waitFor();
		for (const path of ["/sign-in", "/portal", "/docs"])
			assert.equal(await page.locator(`main a[href="${path}"]`).count(), 1, path);
		await noAxeViolations(page);
		await fitsEveryWidth(page);
		await tabTo(page, "API reference");
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/docs`);
		noTroubles(watched);
		await context.close();
	});

	test("speaks Chinese where the browser does", async () => {
		const watched = await pages.open("/", { locale: "zh-CN" });
		await watched.page.getByRole("heading", { level: 1, name: "欢迎使用 Latchkey" }).waitFor();
		assert.equal(await watched.page.locator("html").getAttribute("lang"), "zh-CN");
		noTroubles(watched);
		await watched.context.close();
	});
});
