// The pages behind mailed links: password reset, invitation, and account recovery.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mailedLinks } from "../harness/access/access-requests.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL, tabAndPress, tabTo } from "../harness/browser/pages.ts";
import { addPerson, isAlive, type Person } from "../harness/people/people.ts";
import { forgot, moveTo } from "../harness/people/recovery.ts";

const NEW = "a brand new password";

describePages("the pages of mailed links", (pages) => {
	const pathOf = (link: string) => link.slice(PAGES_URL.length);
	const resetPath = async (person: Person): Promise<string> => {
		await forgot(pages.service, person.email);
		return pathOf((await mailedLinks(pages.service, person.email, "reset"))[0] as string);
	};
	const invite = async (username: string) => {
		const { service } = pages;
		const email = `${username}@people.example`;
		const body = { username, email, invite: true };
		const token = await service.adminToken();
		const { data } = (await service.call("POST", "/api/v1/users", { token, body })).body;
		const [link = ""] = await mailedLinks(service, email, "invite");
		return { id: data.id, path: pathOf(link) };
	};
	const statusOf = async (id: string) => {
		const token = await pages.service.adminToken();
		return (await pages.service.call("GET", `/api/v1/users/${id}`, { token })).body.data.status;
	};

	describe("/reset", () => {
		test("sets a new password by keyboard, and opening the link consumes nothing", async () => {
			const person = await addPerson(pages.service, "ada");
			const path = await resetPath(person);
			const token = path.split("#")[1] as string;
			const { page, requests, noTroubles } = await pages.open();
			const field = page.getByLabel("New password", { exact: true });
			for (let visit = 0; visit < 2; visit++) {
				await page.goto(`${PAGES_URL}${path}`, { waitUntil: "networkidle" });
				await field.waitFor();
				assert.equal(page.url(), `${PAGES_URL}/reset`);
				await page.goto("about:blank");
			}
			assert.ok(requests.every((request) => request.startsWith("GET ")));
			assert.equal(await isAlive(pages.service, person.token), true);
			await page.goto(`${PAGES_URL}${path}`);
			await field.waitFor();
			assert.equal(await field.getAttribute("autocomplete"), "new-password");
			await assertAccessible(page);
			await page.keyboard.type(NEW);
			await tabAndPress(page, "Set password");
			await page.getByRole("heading", { name: "Your password was set" }).waitFor();
			assert.equal(await isAlive(pages.service, person.token), false);
			await pages.service.tokenOf("ada", NEW);
			const posts = requests.filter((request) => request.startsWith("POST "));
			assert.deepEqual(posts, [`POST ${PAGES_URL}/api/v1/auth/password/reset`]);
			assert.ok(requests.every((request) => !request.includes(token)));
			noTroubles();
		});

		test("reports a refused password at its field without consuming the link, and a used link, in Chinese", async () => {
			const person = await addPerson(pages.service, "careful");
			const path = await resetPath(person);
			const { page } = await pages.open(path, { locale: "zh-CN" });
			const field = page.getByLabel("新密码", { exact: true });
			for (const [password, text] of [
				["short", "密码太短"],
				["密".repeat(25), "密码太长"],
				["password123", "最常见"],
				[person.email, "不能与用户名或邮箱相同。"],
			] as const) {
				await field.fill(password);
				await page.getByRole("button", { name: "设置密码" }).click();
				await page.locator(".lk-field__error").getByText(text).waitFor();
				assert.equal(await field.getAttribute("aria-invalid"), "true");
			}
			await field.fill(NEW);
			await page.getByRole("button", { name: "设置密码" }).click();
			await page.getByRole("heading", { name: "新密码已设置" }).waitFor();
			await page.goto("about:blank");
			await page.goto(`${PAGES_URL}${path}`);
			await field.fill(NEW);
			await page.getByRole("button", { name: "设置密码" }).click();
			await page.getByText("该链接已失效").waitFor();
			assert.equal(await field.count(), 0);
		});

		test("shows no form without a token, and accepts a complete link in the same tab afterwards", async () => {
			const { page, noTroubles } = await pages.open();
			for (const path of ["/reset", "/invite", "/restore-email"]) {
				await page.goto(`${PAGES_URL}${path}`);
				await page.getByText("This URL is incomplete.").waitFor();
				assert.equal(await page.locator("form").count(), 0);
			}
			await page.goto(`${PAGES_URL}/restore-email#${"t".repeat(43)}`);
			await page.getByRole("button", { name: "Recover account" }).waitFor();
			assert.equal(page.url(), `${PAGES_URL}/restore-email`);
			noTroubles();
		});
	});

	describe("/invite", () => {
		test("accepts the invitation by keyboard and signs the user in, and opening the link consumes nothing", async () => {
			const { id, path } = await invite("grace");
			const { page, requests, context } = await pages.open(path);
			await page.getByLabel("Password", { exact: true }).waitFor();
			assert.equal(page.url(), `${PAGES_URL}/invite`);
			assert.equal(await statusOf(id), "invited");
			assert.ok(requests.every((request) => request.startsWith("GET ")));
			await assertAccessible(page);
			await page.keyboard.type(NEW);
			await tabTo(page, "Your name");
			await page.keyboard.type("\u05d0\u05d1 Grace <img src=x onerror=alert(1)>");
			await page.keyboard.press("Enter");
			await page.waitForURL(`${PAGES_URL}/account`, { waitUntil: "commit" });
			assert.equal(await statusOf(id), "active");
			assert.ok((await context.cookies()).some(({ name }) => name === "__Host-latchkey"));
			const secret = path.split("#")[1] as string;
			assert.ok(requests.every((request) => !request.includes(secret)));
		});

		test("reports a refused password without consuming the link, and a used link", async () => {
			const { path } = await invite("bea");
			const { page } = await pages.open(path);
			const accept = async (password: string): Promise<void> => {
				await page.getByLabel("Password", { exact: true }).fill(password);
				await page.getByRole("button", { name: "Accept invitation" }).click();
			};
			await accept("password123");
			await page.getByText("That password is very common.").waitFor();
			await accept(NEW);
			await page.waitForURL(`${PAGES_URL}/account`, { waitUntil: "commit" });
			await page.goto(`${PAGES_URL}${path}`);
			await accept(NEW);
			await page.getByText("This link is no longer valid").waitFor();
			assert.equal(await page.locator("form").count(), 0);
		});
	});

	describe("/restore-email", () => {
		test("recovers the account when the button is pressed, not when the page opens", async () => {
			const { service } = pages;
			const person = await addPerson(service, "moved", { email_verified: true });
			await moveTo(service, person, "thief@elsewhere.example");
			const [link = ""] = await mailedLinks(service, person.email, "restore-email");
			const { page, noTroubles } = await pages.open(pathOf(link));
			await page.getByRole("button", { name: "Recover account" }).waitFor();
			assert.equal(page.url(), `${PAGES_URL}/restore-email`);
			assert.equal(await isAlive(service, person.token), true);
			await assertAccessible(page);
			await tabAndPress(page, "Recover account");
			await page.getByRole("heading", { name: "Your account is recovered" }).waitFor();
			assert.equal(await isAlive(service, person.token), false);
			assert.equal((await mailedLinks(service, person.email, "reset")).length, 1);
			noTroubles();
		});
	});
});
