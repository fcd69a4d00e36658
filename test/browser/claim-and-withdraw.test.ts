import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import {
	decide,
	mailedLinks,
	mailedToken,
	REQUESTS,
	submit,
	submitApproved,
} from "../harness/access-requests.ts";
import { BROWSER_SKIPPED, launchBrowser, openPage } from "../harness/browser.ts";
import { startTestService, type TestService } from "../harness/service.ts";

const PUBLIC_URL = "https://id.example.com";
const TIMEOUT_MS = 60_000;

describe("the links in the mails", { skip: BROWSER_SKIPPED, timeout: TIMEOUT_MS }, () => {
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

	const clientOf = async (id: string) =>
		(await service.call("GET", `/api/v1/api-clients/${id}`, { token: await service.adminToken() })).body.data;
	const requestStatus = async (id: string): Promise<string> =>
		(await service.call("GET", `${REQUESTS}/${id}`, { token: await service.adminToken() })).body.data.status;
	const linkOf = async (email: string, page: "claim" | "withdraw"): Promise<string> =>
		(await mailedLinks(service, email, page))[0] as string;
	/** What the page shows beside a label. */
	const shown = async (page: Page, label: string): Promise<string> =>
		(await page.locator(`dt:text-is("${label}") + dd code`).textContent()) ?? "";
	/** The problem the page explains, once it does. */
	const problem = async (page: Page): Promise<string> => (await page.getByRole("alert").textContent()) ?? "";

	describe("/claim", () => {
		test("opening consumes nothing; the button gives credentials that sign", async () => {
			const { email, api_client_id: clientId } = await submitApproved(service);
			assert.ok(clientId);
			const link = await linkOf(email, "claim");
			const token = link.split("#")[1] as string;
			const { page, requests, troubles, context } = await openPage(browser);
			for (let visit = 0; visit < 2; visit++) {
				const response = await page.goto(link, { waitUntil: "networkidle" });
				assert.match(response?.headers()["content-security-policy"] ?? "", /^default-src 'none'/);
				assert.equal(page.url(), `${PUBLIC_URL}/claim`);
				assert.ok(requests.every((request) => request.startsWith(`GET ${PUBLIC_URL}/`)));
				assert.equal((await clientOf(clientId)).status, "unclaimed");
				await page.goto("about:blank");
			}
			await page.goto(link);
			await page.getByRole("button", { name: "Claim credentials" }).focus();
			await page.keyboard.press("Enter");
			await page.getByRole("heading", { name: "Your credentials" }).waitFor();
			const client = await clientOf(clientId);
			assert.equal(client.status, "active");
			const credentials = {
				tenant_id: await shown(page, "Tenant ID"),
				app_id: await shown(page, "App ID"),
				api_key: await shown(page, "API key"),
				secret: await shown(page, "Secret"),
			};
			assert.equal(credentials.api_key, client.api_key);
			const whoami = await service.signed(credentials, "GET", "/api/v1/external/whoami");
			assert.equal(whoami.status, 200, JSON.stringify(whoami.body));
			const posts = requests.filter((request) => request.startsWith("POST "));
			assert.deepEqual(posts, [`POST ${PUBLIC_URL}${REQUESTS}/claim`]);
			assert.ok(requests.every((request) => request.includes(` ${PUBLIC_URL}/`) && !request.includes(token)));
			assert.deepEqual(troubles, []);
			await context.close();
		});

		test("a used link says so, and shows nothing", async () => {
			const { email } = await submitApproved(service);
			const link = await linkOf(email, "claim");
			const body = { token: link.split("#")[1] };
			assert.equal((await service.call("POST", `${REQUESTS}/claim`, { body })).status, 201);
			const { page, context } = await openPage(browser);
			await page.goto(link);
			await page.getByRole("button", { name: "Claim credentials" }).click();
			assert.match(await problem(page), /no longer valid/);
			assert.equal(await page.locator("#credentials code").count(), 0);
			await context.close();
		});

		test("after a fresh link was sent only that one works, and the page speaks Chinese", async () => {
			const { id, email } = await submitApproved(service);
			await service.call("POST", `${REQUESTS}/${id}/resend`, { token: await service.adminToken() });
			await mailedToken(service, email, "claim", 2);
			const [old, fresh] = (await mailedLinks(service, email, "claim", 2)) as [string, string];
			const { page, troubles, context } = await openPage(browser, { locale: "zh-CN" });
			await page.goto(old);
			await page.getByRole("button", { name: "领取凭证" }).click();
			assert.match(await problem(page), /链接已失效/);
			await page.goto("about:blank");
			await page.goto(fresh);
			await page.getByRole("button", { name: "领取凭证" }).click();
			await page.getByRole("heading", { name: "您的凭证" }).waitFor();
			assert.match(await shown(page, "Secret"), /^sk_/);
			// The 404 of the old link is the one thing the console may complain of.
			assert.ok(
				troubles.every((trouble) => trouble.includes("404")),
				troubles.join("\n"),
			);
			await context.close();
		});

		test("without its token the page offers nothing to press", async () => {
			const { page, context } = await openPage(browser);
			await page.goto(`${PUBLIC_URL}/claim`);
			await page.getByRole("alert").waitFor();
			assert.ok(await page.locator("#press").isHidden());
			await context.close();
		});
	});

	describe("/withdraw", () => {
		test("opening changes nothing; the press of the button withdraws", async () => {
			const { id, email } = await submit(service);
			const link = await linkOf(email, "withdraw");
			const { page, requests, troubles, context } = await openPage(browser);
			await page.goto(link, { waitUntil: "networkidle" });
			assert.equal(page.url(), `${PUBLIC_URL}/withdraw`);
			assert.equal(await requestStatus(id), "pending");
			await page.getByRole("button", { name: "Withdraw the request" }).click();
			await page.getByRole("heading", { name: "Your request was withdrawn" }).waitFor();
			assert.equal(await requestStatus(id), "withdrawn");
			assert.ok(requests.every((request) => request.includes(` ${PUBLIC_URL}/`)));
			assert.deepEqual(troubles, []);
			await context.close();
		});

		test("a request that was decided cannot be withdrawn any more, and the page says so", async () => {
			const { id, email } = await submit(service);
			const link = await linkOf(email, "withdraw");
			await decide(service, id, "reject");
			const { page, context } = await openPage(browser);
			await page.goto(link);
			await page.getByRole("button", { name: "Withdraw the request" }).click();
			assert.match(await problem(page), /nothing to withdraw/);
			assert.equal(await requestStatus(id), "rejected");
			await context.close();
		});
	});
});
