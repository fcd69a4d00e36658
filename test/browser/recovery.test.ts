import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { mailedLinks } from "../harness/access-requests.ts";
import { BROWSER_SKIPPED, launchBrowser, openPage } from "../harness/browser.ts";
import { addPerson, isAlive, type Person } from "../harness/people.ts";
import { forgot, moveTo } from "../harness/recovery.ts";
import { startTestService, type TestService } from "../harness/service.ts";

const PUBLIC_URL = "https://id.example.com";
const TIMEOUT_MS = 60_000;
const NEW = "a brand new password";

describe("the links that restore accounts", { skip: BROWSER_SKIPPED, timeout: TIMEOUT_MS }, () => {
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

	const login = (username: string, password: string) =>
		service.call("POST", "/api/v1/auth/login", { body: { username, password } });
	const linkFor = async (person: Person): Promise<string> => {
		await forgot(service, person.email);
		return (await mailedLinks(service, person.email, "reset"))[0] as string;
	};
	const problem = async (page: Page): Promise<string> => (await page.getByRole("alert").textContent()) ?? "";

	describe("/reset", () => {
		test("opening consumes nothing; by keyboard alone a new password is set", async () => {
			const person = await addPerson(service, "ada");
			const link = await linkFor(person);
			const token = link.split("#")[1] as string;
			const { page, requests, troubles, context } = await openPage(browser);
			for (let visit = 0; visit < 2; visit++) {
				const response = await page.goto(link, { waitUntil: "networkidle" });
				assert.match(response?.headers()["content-security-policy"] ?? "", /^default-src 'none'/);
				assert.equal(page.url(), `${PUBLIC_URL}/reset`);
				assert.ok(requests.every((request) => request.startsWith(`GET ${PUBLIC_URL}/`)));
				await page.goto("about:blank");
			}
			assert.equal(await isAlive(service, person.token), true);
			await page.goto(link);
			await page.getByLabel("New password", { exact: true }).focus();
			await page.keyboard.type(NEW);
			await page.keyboard.press("Tab");
			await page.keyboard.type(NEW);
			await page.keyboard.press("Enter");
			await page.getByRole("heading", { name: "Your password is set" }).waitFor();
			assert.equal(await isAlive(service, person.token), false);
			assert.equal((await login("ada", NEW)).status, 200);
			const posts = requests.filter((request) => request.startsWith("POST "));
			assert.deepEqual(posts, [`POST ${PUBLIC_URL}/api/v1/auth/password/reset`]);
			assert.ok(requests.every((request) => request.includes(` ${PUBLIC_URL}/`) && !request.includes(token)));
			assert.deepEqual(troubles, []);
			await context.close();
		});

		test("reports password errors, calls the service only when needed, and keeps the link", async () => {
			const person = await addPerson(service, "careful");
			const { page, requests, context } = await openPage(browser);
			await page.goto(await linkFor(person));
			const first = page.getByLabel("New password", { exact: true });
			const second = page.getByLabel("New password, once more");
			const set = async (one: string, two = one): Promise<string> => {
				await first.fill(one);
				await second.fill(two);
				await page.getByRole("button", { name: "Set the password" }).click();
				await page.getByRole("alert").waitFor();
				return problem(page);
			};
			const posts = (): number => requests.filter((request) => request.startsWith("POST ")).length;
			assert.match(await set("short"), /too short/);
			assert.match(await set("密".repeat(25)), /too long/);
			assert.match(await set(NEW, `${NEW}!`), /not the same/);
			assert.equal(posts(), 0);
			assert.equal(await first.getAttribute("aria-invalid"), "true");
			assert.match(await set("password123"), /most common/);
			assert.match(await set(person.email), /username or e-mail/);
			assert.equal(posts(), 2);
			await page.getByLabel("Show the password").check();
			assert.equal(await first.getAttribute("type"), "text");
			await first.fill(NEW);
			await second.fill(NEW);
			await page.getByRole("button", { name: "Set the password" }).click();
			await page.getByRole("heading", { name: "Your password is set" }).waitFor();
			await context.close();
		});

		test("a used link says so, in Chinese too", async () => {
			const person = await addPerson(service, "used");
			const link = await linkFor(person);
			const body = { token: link.split("#")[1], new_password: NEW };
			assert.equal((await service.call("POST", "/api/v1/auth/password/reset", { body })).status, 204);
			const { page, context } = await openPage(browser, { locale: "zh-CN" });
			await page.goto(link);
			await page.getByLabel("新密码", { exact: true }).fill(NEW);
			await page.getByLabel("再次输入新密码").fill(NEW);
			await page.getByRole("button", { name: "设置密码" }).click();
			assert.match(await problem(page), /链接已失效/);
			assert.ok(await page.locator("#press").isHidden());
			await context.close();
		});

		test("without its token the page offers nothing to press", async () => {
			const { page, context } = await openPage(browser);
			await page.goto(`${PUBLIC_URL}/reset`);
			await page.getByRole("alert").waitFor();
			assert.ok(await page.locator("#press").isHidden());
			await context.close();
		});
	});

	describe("/restore-email", () => {
		test("opening changes nothing; the button takes the account back", async () => {
			const person = await addPerson(service, "moved", { email_verified: true });
			await moveTo(service, person, "thief@elsewhere.example");
			const [link = ""] = await mailedLinks(service, person.email, "restore-email");
			const { page, requests, troubles, context } = await openPage(browser);
			await page.goto(link, { waitUntil: "networkidle" });
			assert.equal(page.url(), `${PUBLIC_URL}/restore-email`);
			assert.equal(await isAlive(service, person.token), true);
			await page.getByRole("button", { name: "Take the account back" }).focus();
			await page.keyboard.press("Enter");
			await page.getByRole("heading", { name: "Your account is yours again" }).waitFor();
			assert.equal(await isAlive(service, person.token), false);
			assert.equal((await mailedLinks(service, person.email, "reset")).length, 1);
			assert.ok(requests.every((request) => request.includes(` ${PUBLIC_URL}/`)));
			assert.deepEqual(troubles, []);
			await context.close();
		});
	});
});
