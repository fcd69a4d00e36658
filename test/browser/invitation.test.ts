import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { mailedLinks } from "../harness/access-requests.ts";
import { BROWSER_SKIPPED, launchBrowser, openPage } from "../harness/browser.ts";
import { startTestService, type TestService } from "../harness/service.ts";

const PUBLIC_URL = "https://id.example.com";
const TIMEOUT_MS = 60_000;
const PASSWORD = "a brand new password";

describe("the page of an invitation", { skip: BROWSER_SKIPPED, timeout: TIMEOUT_MS }, () => {
	let service: TestService;
	let browser: Browser;
	before(async () => {
		service = await startTestService({ env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL } });
		browser = await launchBrowser(PUBLIC_URL, service.httpsPort);
	});
	after(async () => {
		await browser?.close();
		await service?.stop();
	});

	const invite = async (username: string) => {
		const email = `${username}@people.example`;
		const body = { username, email, invite: true };
		const { data } = (
			await service.call("POST", "/api/v1/users", { token: await service.adminToken(), body })
		).body;
		const [link = ""] = await mailedLinks(service, email, "invite");
		return { id: data.id, link };
	};
	const statusOf = async (id: string) =>
		(await service.call("GET", `/api/v1/users/${id}`, { token: await service.adminToken() })).body.data
			.status;

	test("opening consumes nothing; by keyboard alone the invitation is accepted, and no session stays", async () => {
		const { id, link } = await invite("ada");
		const { page, requests, troubles, context } = await openPage(browser);
		for (let visit = 0; visit < 2; visit++) {
			const response = await page.goto(link, { waitUntil: "networkidle" });
			assert.match(response?.headers()["content-security-policy"] ?? "", /^default-src 'none'/);
			assert.equal(page.url(), `${PUBLIC_URL}/invite`);
			await page.goto("about:blank");
		}
		assert.equal(await statusOf(id), "invited");
		await page.goto(link);
		await page.getByLabel("Password", { exact: true }).focus();
		await page.keyboard.type(PASSWORD);
		await page.keyboard.press("Tab");
		await page.keyboard.type(PASSWORD);
		const signedOut = page.waitForResponse((response) => response.url().endsWith("/auth/logout"));
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Your account is ready" }).waitFor();
		assert.equal((await signedOut).status(), 204);
		assert.equal(await statusOf(id), "active");
		const token = await service.tokenOf("ada", PASSWORD);
		const sessions = await service.call("GET", "/api/v1/users/me/sessions", { token });
		assert.equal(sessions.body.total, 1);
		const secret = link.split("#")[1] as string;
		assert.ok(requests.every((request) => request.includes(` ${PUBLIC_URL}/`) && !request.includes(secret)));
		assert.deepEqual(troubles, []);
		await context.close();
	});

	test("names a refused password and keeps the link; a used link says so, in Chinese too", async () => {
		const { link } = await invite("bea");
		const { page, context } = await openPage(browser, { locale: "zh-CN" });
		const accept = async (password: string): Promise<void> => {
			await page.getByLabel("密码", { exact: true }).fill(password);
			await page.getByLabel("再次输入密码").fill(password);
			await page.getByRole("button", { name: "接受邀请" }).click();
		};
		await page.goto(link);
		await accept("password123");
		await page.getByRole("alert").waitFor();
		assert.match((await page.getByRole("alert").textContent()) ?? "", /最常见/);
		await accept(PASSWORD);
		await page.getByRole("heading", { name: "您的账号已可使用" }).waitFor();
		await page.goto("about:blank");
		await page.goto(link);
		await accept(PASSWORD);
		await page.getByRole("alert").waitFor();
		assert.match((await page.getByRole("alert").textContent()) ?? "", /链接已失效/);
		assert.ok(await page.locator("#press").isHidden());
		await context.close();
	});
});
