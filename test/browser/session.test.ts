// The session of a browser: several tabs, an expiry during work, and the sign-out.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import { noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { enrollTotp, nextCode } from "../harness/people/second-factors.ts";
import { ADMIN } from "../harness/service/service.ts";

const REFRESH = `POST ${PAGES_URL}/api/v1/auth/refresh`;

describePages("the session of a browser", (pages) => {
	const overview = (page: Page) => page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

	test("obtains the access token of a document with one request", async () => {
		const { page, requests } = await pages.openAs(ADMIN, "/console");
		await overview(page);
		assert.equal(requests.filter((request) => request === REFRESH).length, 1);
		const api = requests.filter((request) => request.includes("/api/v1/"));
		assert.deepEqual(api.slice(0, 2), [REFRESH, `GET ${PAGES_URL}/api/v1/branding`]);
		await page.reload();
		await overview(page);
		assert.equal(requests.filter((request) => request.includes("/branding")).length, 1);
	});

	test("asks for a sign-in when it ends during work, and repeats the call", async () => {
		const { service } = pages;
		const { page, requests } = await pages.openAs(ADMIN, "/console");
		await overview(page);
		const login = await service.call("POST", "/api/v1/auth/login", { body: ADMIN });
		const { access_token: token, user } = login.body.data as { access_token: string; user: { id: string } };
		await page.getByRole("button", { name: /^Your account/ }).click();
		// Requests of the overview that are still running would open the dialog before the click.
		await page.waitForLoadState("networkidle");
		await service.call("POST", `/api/v1/users/${user.id}/sessions/revoke`, { token });
		await page.getByRole("menuitem", { name: "中文" }).click();
		const dialog = page.getByRole("dialog", { name: "会话已结束" });
		await dialog.waitFor();
		await noAxeViolations(page);
		assert.equal(await dialog.getByLabel("用户名或邮箱").inputValue(), ADMIN.username);
		const password = dialog.getByLabel("密码", { exact: true });
		await password.fill("not this one");
		await page.keyboard.press("Enter");
		await dialog.locator(".lk-field__error").waitFor();
		await password.fill(ADMIN.password);
		await page.keyboard.press("Enter");
		await dialog.waitFor({ state: "detached" });
		const changes = requests.filter((request) => request.startsWith("PATCH "));
		assert.ok(changes.length >= 2, "the refused call was repeated");
		await page.reload();
		await page.getByRole("heading", { level: 1, name: "概览" }).waitFor();
		await service.call("PATCH", "/api/v1/users/me", {
			token: await service.tokenOf(ADMIN.username, ADMIN.password),
			body: { locale: null },
		});
	});

	test("asks for the second factor in place when it ends, and keeps the input", async () => {
		const { service } = pages;
		const ada = await addPerson(service, "ada", { roles: ["auditor"] });
		const { page } = await pages.openAs(ada, "/console/people");
		const search = page.getByRole("searchbox");
		await search.waitFor();
		const { secret } = await enrollTotp(service, ada);
		const token = await service.adminToken();
		await service.call("POST", `/api/v1/users/${ada.id}/sessions/revoke`, { token });
		await search.fill("what is typed stays");
		const dialog = page.getByRole("dialog");
		const password = dialog.getByLabel("Password", { exact: true });
		await password.waitFor();
		assert.equal(await dialog.getByLabel("Username or email").getAttribute("readonly"), "");
		assert.equal(await password.evaluate((field) => field === field.ownerDocument.activeElement), true);
		await page.keyboard.type(ada.password);
		await page.keyboard.press("Enter");
		await dialog.getByLabel("Code", { exact: true }).waitFor();
		await noAxeViolations(page);
		await page.keyboard.type(nextCode(service, secret));
		await dialog.waitFor({ state: "detached" });
		assert.equal(await search.inputValue(), "what is typed stays");
	});

	test("refreshes an expired access token once for all tabs, and loses no call", async () => {
		const first = await pages.openAs(ADMIN, "/console");
		await overview(first.page);
		const other = await first.context.newPage();
		const requests: string[] = [];
		for (const tab of [first.page, other])
			tab.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
		await other.goto(`${PAGES_URL}/console`);
		await overview(other);
		requests.length = 0;
		pages.service.clock.advance(16 * 60_000);
		const saved = [first.page, other].map((tab) =>
			tab.waitForResponse((response) => response.request().method() === "PATCH" && response.status() === 200),
		);
		for (const tab of [first.page, other]) {
			await tab.getByRole("button", { name: /^Your account/ }).click();
			await tab.getByRole("menuitem", { name: "中文" }).waitFor();
		}
		await Promise.all([first.page, other].map((tab) => tab.getByRole("menuitem", { name: "中文" }).click()));
		await Promise.all(saved);
		assert.equal(requests.filter((request) => request === REFRESH).length, 1);
		assert.equal(await other.getByRole("dialog").count(), 0);
	});
});
