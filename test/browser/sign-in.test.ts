// The sign-in page: password, second factor, and redirects.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, enterPassword, PAGES_URL } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { mailedCode } from "../harness/people/registration.ts";
import { addPersonWithTotp, nextCode, wrongTotp } from "../harness/people/second-factors.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { ADMIN } from "../harness/service/service.ts";

/** Redirects to a public page after the sign-in. */
const TARGET = "/sign-in?return_to=%2Fdocs%3Fq%3D1";

describePages("/sign-in", (pages) => {
	const ada = fixture(() => addPersonWithTotp(pages.service, "ada"));

	const arrives = (page: Page) => page.waitForURL(`${PAGES_URL}/docs?q=1`);

	const leadsTo = async (page: Page, target: string, path: string) => {
		await page.goto(`${PAGES_URL}/sign-in?return_to=${encodeURIComponent(target)}`, { waitUntil: "commit" });
		await page.waitForURL(PAGES_URL + path, { waitUntil: "commit" });
	};

	test("redirects only to its own pages", async () => {
		const { page } = await pages.openAs(ADMIN);
		for (const target of [
			...["https://evil.example/", "javascript:alert(1)", "console/keys", "/sign-in", "/./sign-up", ""],
			...["//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", " //evil.example"],
			...["/\t/evil.example", "/\n/evil.example", "/\t.//evil.example", "/.\t//evil.example"],
			...["/.//evil.example/x", "/./\\evil.example", "/.\\/evil.example", "/.///evil.example"],
			...["/..//evil.example", "/a/..//evil.example", "/a/b/../../..//evil.example", "/a/.././/evil.example"],
			...["/%2e//evil.example", "/%2E%2e//evil.example", "/.%2e\\\\evil.example", "/a/%2e%2e//evil.example"],
			...["/.//evil.example@login.example/", "/.//evil.example:443/x?y#z", "/.//[", "/.//sign-in"],
		])
			await leadsTo(page, target, "/console");
		for (const target of ["/docs?q=1", "/./docs?q=1", "/console/../docs?q=1"])
			await leadsTo(page, target, "/docs?q=1");
	});

	test("responds the same to known and unknown names, reports empty fields, and keeps the input", async () => {
		const { page, requests } = await pages.open(TARGET);
		const password = page.getByLabel("Password", { exact: true });
		await page.getByRole("button", { name: "Sign in", exact: true }).click();
		await page.getByText("Enter your username or email address.").waitFor();
		assert.equal(requests.filter((request) => request.endsWith("/auth/login")).length, 0);
		for (const username of ["ada", "nobody", '<img src=x onerror="alert(1)">', "\u202eada"]) {
			await enterPassword(page, { username, password: "wrong" });
			await page.getByText("That username and password don't match.").waitFor();
			assert.equal(await password.getAttribute("aria-invalid"), "true");
			assert.equal(await page.getByLabel("Username or email").inputValue(), username);
			await password.fill("");
			await page.getByText("That username and password don't match.").waitFor({ state: "detached" });
		}
		assert.equal(await page.locator("img").count(), 0);
	});

	test("disables the button for as long as the API requires", async () => {
		const { page } = await pages.open(TARGET);
		await addPerson(pages.service, "locked");
		for (let attempt = 0; attempt < 6; attempt++) {
			await enterPassword(page, { username: "locked", password: "wrong" });
			await page.getByText(/username and password don't match\.|too many/i).waitFor();
			await page.getByLabel("Password", { exact: true }).fill("");
		}
		await enterPassword(page, { username: "locked", password: "the long password of locked" });
		const retry = page.getByRole("button", { name: /^Try again in \d+ s$/ });
		await retry.waitFor();
		assert.equal(await retry.isDisabled(), true);
		assert.equal(
			await page.getByLabel("Password", { exact: true }).inputValue(),
			"the long password of locked",
		);
	});

	test("asks for the second factor, submits a complete code, and reports a wrong one at the field", async () => {
		const { page } = await pages.open(TARGET);
		await enterPassword(page, ada);
		const code = page.getByLabel("Code", { exact: true });
		await code.waitFor();
		assert.equal(await code.getAttribute("autocomplete"), "one-time-code");
		assert.equal(await page.locator("form input[autocomplete=username]").inputValue(), "ada");
		await assertAccessible(page);
		await page.keyboard.type(wrongTotp(pages.service, ada.secret));
		await page.getByText("That didn't work.").waitFor();
		assert.equal(await code.getAttribute("aria-invalid"), "true");
		await page.keyboard.insertText(nextCode(pages.service, ada.secret).replace(/^(...)/, "$1 "));
		await arrives(page);
	});

	test("accepts a recovery code instead, in Chinese", async () => {
		const { page, noTroubles } = await pages.open(TARGET, { locale: "zh-CN" });
		await page.getByLabel("用户名或邮箱").fill("ada");
		await page.getByLabel("密码", { exact: true }).fill(ada.password);
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "改用恢复码" }).click();
		await page.getByLabel("恢复码").fill(ada.recoveryCodes[0] as string);
		await page.keyboard.press("Enter");
		await arrives(page);
		noTroubles();
	});

	test("offers a link to reset the password, with the same response for every email address", async () => {
		const { page, noTroubles } = await pages.open(TARGET);
		for (const email of [ada.email, "nobody@people.example"]) {
			await page.getByLabel("Username or email").fill(email);
			await page.getByRole("button", { name: "Forgot your password?" }).click();
			assert.equal(await page.getByLabel("Email address").inputValue(), email);
			await page.getByRole("button", { name: "Email me a link" }).click();
			await page.getByText(`If ${email} belongs to an account, we sent a link to it.`).waitFor();
			await page.getByRole("button", { name: "Back to sign-in" }).click();
		}
		noTroubles();
	});

	test("signs in with a mailed code, and marks the last used sign-in method", async () => {
		const carol = await addPerson(pages.service, "carol");
		const { body } = await pages.service.call("GET", "/api/v1/auth/methods");
		await pages.service.asAdmin("PATCH", `/api/v1/tenants/${body.data.tenant.id}`, { mailed_code: true });
		const { page, context, noTroubles } = await pages.open(TARGET);
		await page.getByLabel("Username or email").fill(carol.email);
		await page.getByRole("button", { name: "Email me a code" }).click();
		assert.equal(await page.getByLabel("Email address").inputValue(), carol.email);
		await page.getByRole("button", { name: "Send code" }).click();
		await page.getByText(`If ${carol.email} belongs to an account, we sent a code to it.`).waitFor();
		await assertAccessible(page);
		await page.keyboard.type(await mailedCode(pages.service, carol.email));
		await arrives(page);
		noTroubles();
		const signInAgain = async () => {
			// The page may still renew the session, which sets the cookie.
			await page.waitForLoadState("networkidle");
			await context.clearCookies();
			await page.goto(PAGES_URL + TARGET);
		};
		await signInAgain();
		await page.getByRole("button", { name: "Email me a code Last used" }).waitFor();
		await enterPassword(page, carol);
		await arrives(page);
		await signInAgain();
		await page.getByRole("button", { name: "Email me a code", exact: true }).waitFor();
	});

	test("is accessible and fits every width", async () => {
		const { page } = await pages.open("/sign-in");
		await page.getByLabel("Username or email").waitFor();
		await assertAccessible(page);
	});
});
