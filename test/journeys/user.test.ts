// The journey of a user: register with a mailed code, change the account, sign out, sign in.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { BrowserContext } from "playwright-core";
import { BROWSER_SKIPPED } from "../harness/browser/browser.ts";
import {
	enterPassword,
	fitsEveryWidth,
	noAxeViolations,
	noTroubles,
	openPages,
	PAGES_URL,
	tabTo,
} from "../harness/browser/pages.ts";
import { mailedCode } from "../harness/people/registration.ts";
import { fixture } from "../harness/runs/fixture.ts";

const USER = { username: "newcomer", password: "a long password of a new person" };
const HOSTILE = "\u05d0\u05d1 <img src=x onerror=alert(1)>";

describe("a user", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	const pages = fixture(() => openPages());
	after(() => pages?.[Symbol.asyncDispose]());

	const hasSession = async (context: BrowserContext): Promise<boolean> =>
		(await context.cookies()).some(({ name }) => name === "__Host-latchkey");

	test("registers, changes name and language, signs out of every tab and in again", async () => {
		const watched = await pages.open("/sign-up?return_to=%2Faccount");
		const { page, context } = watched;
		await page.getByLabel("Email address").waitFor();
		await noAxeViolations(page);
		await fitsEveryWidth(page);
		await page.keyboard.type("new@people.example");
		await page.keyboard.press("Enter");
		await page.getByText("We sent a code to new@people.example.").waitFor();
		await noAxeViolations(page);
		await fitsEveryWidth(page);
		await page.keyboard.type(await mailedCode(pages.service, "new@people.example"));
		// The sixth digit sends the code. The username is suggested from the address.
		await page.getByLabel("Username").waitFor();
		await noAxeViolations(page);
		assert.equal(await page.getByLabel("Username").inputValue(), "new");
		// What is left to enter has the focus.
		await page.keyboard.press("Shift+Tab");
		await page.keyboard.press("Control+A");
		await page.keyboard.type(USER.username);
		await tabTo(page, "Password", 1);
		await page.keyboard.type(USER.password);
		await tabTo(page, "Your name", 2);
		await page.keyboard.type(HOSTILE);
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/account`);
		assert.equal(await hasSession(context), true);

		await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
		assert.equal(await page.title(), "Profile · Latchkey");
		await tabTo(page, "Name");
		await page.keyboard.press("Control+A");
		await page.keyboard.type("Ada Lovelace");
		await tabTo(page, "Language", 1);
		await page.keyboard.press("End");
		await tabTo(page, "Save", 1);
		await page.keyboard.press("Enter");
		await page.locator(".lk-status-line").getByText("个人资料已保存。").waitFor();
		const token = await pages.service.tokenOf(USER.username, USER.password);
		const { data } = (await pages.service.call("GET", "/api/v1/users/me", { token })).body;
		assert.deepEqual([data.display_name, data.locale], ["Ada Lovelace", "zh-CN"]);
		await page.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
		await noAxeViolations(page);
		for (const section of ["安全", "登录会话", "访问权限"]) {
			await page.getByRole("navigation").getByRole("link", { name: section }).click();
			await page.getByRole("heading", { level: 1, name: section }).waitFor();
		}

		const other = await context.newPage();
		await other.goto(`${PAGES_URL}/account`);
		await other.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
		await page.getByRole("button", { name: /^我的账户/ }).click();
		await page.getByRole("menuitem", { name: "退出登录" }).click();
		for (const tab of [page, other]) await tab.waitForURL(`${PAGES_URL}/`);
		assert.equal(await hasSession(context), false);

		await other.goto(`${PAGES_URL}/account`);
		await other.waitForURL(`${PAGES_URL}/sign-in?return_to=%2Faccount`);
		await enterPassword(other, USER);
		await other.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
		assert.equal(await hasSession(context), true);
		noTroubles(watched);
		await context.close();
	});
});
