// Registration in the browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describePages } from "../harness/browser/describe-pages.ts";
import { PAGES_URL } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { mailedCode } from "../harness/people/registration.ts";

const PASSWORD = "a long password of a new person";

describePages("/sign-up", (pages) => {
	test("reports a wrong code, a taken name, and a refused password at their fields, and keeps the other input", async () => {
		await addPerson(pages.service, "taken");
		const { page } = await pages.open("/sign-up");
		await page.getByLabel("Email address").fill("other@people.example");
		await page.getByRole("button", { name: "Send code" }).click();
		const code = page.getByLabel("Code from the email");
		const right = await mailedCode(pages.service, "other@people.example");
		const resend = page.getByRole("button", { name: /^Resend in \d+ s$/ });
		assert.equal(await resend.isDisabled(), true);
		await code.fill(right === "111111" ? "222222" : "111111");
		await page.getByText("The code is wrong or has expired.").waitFor();
		// Enter does not send the wrong code again, and typing replaces it.
		const sent: string[] = [];
		page.on("request", (request) => sent.push(request.url()));
		await page.keyboard.press("Enter");
		await page.keyboard.press(right.slice(0, 1));
		assert.equal(await code.inputValue(), right.slice(0, 1));
		await page.keyboard.press("Enter");
		assert.deepEqual(sent, []);
		await page.keyboard.type(right.slice(1));
		// The username is filled in already.
		await page.locator("[name=password]:focus").waitFor();
		const username = page.getByLabel("Username");
		assert.equal(await username.inputValue(), "other");
		await username.fill("taken");
		const password = page.getByLabel("Password", { exact: true });
		await password.fill("password123");
		await page.getByText("Weak").waitFor();
		const create = page.getByRole("button", { name: "Create account" });
		await create.click();
		await page.getByText("That password is very common.").waitFor();
		await password.fill(PASSWORD);
		await create.click();
		await page.locator("[name=username][aria-invalid=true]").waitFor();
		assert.equal(await password.inputValue(), PASSWORD);
	});

	test("links to the sign-in with the same target, in Chinese", async () => {
		const { page, noTroubles } = await pages.open("/sign-up?return_to=%2Fdocs", { locale: "zh-CN" });
		await page.getByRole("heading", { name: "注册账户" }).waitFor();
		await page.getByRole("link", { name: "登录" }).click();
		await page.getByLabel("用户名或邮箱").waitFor();
		assert.equal(page.url(), `${PAGES_URL}/sign-in?return_to=%2Fdocs`);
		noTroubles();
	});
});
