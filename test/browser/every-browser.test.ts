// The pages in browsers that lack an API or block storage, and the text that remains if a page cannot start.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { DOCUMENTS } from "../../pages/documents.ts";
import { addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { WITHOUT_NEWER_APIS, WITHOUT_STORAGE } from "../harness/browser/oldest-browser.ts";
import { PAGES_URL } from "../harness/browser/pages.ts";
import { ADMIN } from "../harness/service/service.ts";

const NOT_STARTED = "This page could not start.";

describePages("browsers without newer APIs or storage", (pages) => {
	const hasStarted = async (page: Page, path: string) => {
		await page.locator("h1").first().waitFor();
		assert.equal(await page.getByText(NOT_STARTED).count(), 0, path);
		assert.equal(await page.getByText("Couldn't load this page").count(), 0, path);
	};

	for (const [reason, script] of Object.entries(WITHOUT_STORAGE))
		test(`open every document without a session, and store no preference: ${reason}`, async () => {
			const { page, context, noTroubles } = await pages.open();
			await context.addInitScript(WITHOUT_NEWER_APIS);
			await context.addInitScript(script);
			for (const { paths } of DOCUMENTS) {
				const [path = ""] = paths;
				await page.goto(`${PAGES_URL}${path}`);
				// It shows its heading before it redirects, which would interrupt the next navigation.
				if (path === "/oauth/device") await page.waitForURL(/\/sign-in\?/);
				await hasStarted(page, path);
			}
			await page.goto(`${PAGES_URL}/`);
			assert.equal(await page.evaluate("typeof URL.parse"), "undefined");
			await page.getByLabel("Language").selectOption("zh-CN");
			await page.getByRole("heading", { level: 1, name: "欢迎使用 Latchkey" }).waitFor();
			await page.reload();
			await page.getByRole("heading", { level: 1, name: "Welcome to Latchkey" }).waitFor();
			noTroubles(/ 40\d /);
		});

	test("open the screens of a session", async () => {
		const { id } = await addApplication(pages.service);
		const { page, context, noTroubles } = await pages.openAs(ADMIN);
		await context.addInitScript(WITHOUT_NEWER_APIS);
		await context.addInitScript(WITHOUT_STORAGE["site data blocked in Chrome"]);
		for (const path of ["/account#security", "/console", "/console/people", "/console/webhooks"]) {
			await page.goto(`${PAGES_URL}${path}`);
			await hasStarted(page, path);
		}
		await page.goto(`${PAGES_URL}/console/applications/${id}#settings`);
		await page.getByLabel("Redirect URIs, row 1").fill("https://shop.example/#x");
		await page.keyboard.press("Enter");
		await page.getByText("Remove the fragment (#).").waitFor();
		noTroubles(/ 404 /);
	});

	test("show a text in both languages if a page cannot start, and nothing before", async () => {
		const { page } = await pages.open();
		await page.route(/\/pages\/.*\.js$/, (route) => route.abort());
		await page.goto(`${PAGES_URL}/claim`);
		const text = page.getByText(NOT_STARTED);
		assert.equal(await text.isVisible(), false);
		await page.evaluate("for (const animation of document.getAnimations()) animation.finish()");
		await text.waitFor();
		await page.getByText("此页面无法启动").waitFor();
	});

	test("say that they are offline, and load when the connection is back", async () => {
		const { page, context } = await pages.openAs(ADMIN, "/console");
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		await context.setOffline(true);
		await page.getByRole("link", { name: "Branding" }).click();
		await page.getByText("You're offline. This page loads when the connection is back.").waitFor();
		await context.setOffline(false);
		await page.getByRole("heading", { level: 1, name: "Branding" }).waitFor();
	});

	test("show a notice in place of a screen that throws an error", async () => {
		const { page, context } = await pages.openAs(ADMIN);
		await context.addInitScript("Object.groupBy = () => { throw new Error('broken'); }");
		await page.goto(`${PAGES_URL}/console/webhooks`);
		await page.getByRole("button", { name: "Add webhook" }).first().click();
		await page.getByText("Couldn't load this page").waitFor();
		await page.getByRole("link", { name: "Overview" }).waitFor();
	});
});
