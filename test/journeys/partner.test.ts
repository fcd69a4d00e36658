// The journey of a partner: request, mail, claim, first signed call, and the withdrawal of another request.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import {
	decide,
	mailedLinks,
	QUEUE,
	REQUESTS,
	submission,
	submit,
} from "../harness/access/access-requests.ts";
import { BROWSER_SKIPPED } from "../harness/browser/browser.ts";
import { noTroubles, openPages, PAGES_URL } from "../harness/browser/pages.ts";
import { fixture } from "../harness/runs/fixture.ts";

describe("a partner", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	const pages = fixture(() => openPages());
	after(() => pages?.[Symbol.asyncDispose]());

	const clientOf = async (id: string) =>
		(
			await pages.service.call("GET", `/api/v1/api-clients/${id}`, {
				token: await pages.service.adminToken(),
			})
		).body.data;
	const requestStatus = async (id: string): Promise<string> =>
		(await pages.service.call("GET", `${QUEUE}/${id}`, { token: await pages.service.adminToken() })).body.data
			.status;
	/** The text that the page shows under a label. */
	const shown = async (page: Page, label: string): Promise<string> =>
		(await page.locator(`.lk-copy:has(.lk-copy__label:text-is("${label}")) code`).textContent()) ?? "";
	const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

	test("requests access, claims credentials, makes a signed call, and withdraws another request", async () => {
		const watched = await pages.open("/portal");
		const { page, requests, context } = watched;
		const email = "whole-way@partner.example";
		const project_name = "<img src=x onerror=alert(1)> مشروع";
		for (const [name, value] of Object.entries(submission({ email, project_name })))
			await page.locator(`[name=${name}]`).fill(String(value));
		await press(page, "Send request");
		await page.getByRole("heading", { level: 1, name: "Request received" }).waitFor();
		const token = await pages.service.adminToken();
		const [request] = (await pages.service.call("GET", `${QUEUE}?q=${email}`, { token })).body.data;
		const { api_client_id: clientId } = await decide(pages.service, request?.id ?? "", "approve");

		const [link = ""] = await mailedLinks(pages.service, email, "claim");
		const claimToken = link.split("#")[1] as string;
		for (let visit = 0; visit < 2; visit++) {
			const response = await page.goto(link);
			assert.match(response?.headers()["content-security-policy"] ?? "", /^default-src 'none'/);
			await page.getByRole("heading", { name: "Claim your API credentials" }).waitFor();
			assert.equal(page.url(), `${PAGES_URL}/claim`);
			assert.equal((await clientOf(clientId ?? "")).status, "unclaimed");
			await page.goto("about:blank");
		}
		await page.goto(link);
		await press(page, "Claim credentials");
		await page.getByRole("heading", { level: 1, name: "Your credentials" }).waitFor();
		const client = await clientOf(clientId ?? "");
		assert.equal(client.status, "active");
		assert.equal(await shown(page, "API key"), client.api_key);
		await press(page, "Make the call");
		await page.getByText("the signature was accepted").waitFor();
		await page.getByText("Signed text and response").click();
		await page.getByText(`"id": "${clientId}"`).waitFor();
		await page.getByText(project_name, { exact: true }).waitFor();
		assert.equal(await page.locator("img").count(), 0);
		const posts = requests.filter((sent) => sent.startsWith("POST "));
		assert.deepEqual(posts, [`POST ${PAGES_URL}${REQUESTS}`, `POST ${PAGES_URL}${REQUESTS}/claim`]);
		const secret = await shown(page, "Secret");
		assert.ok(requests.every((sent) => !sent.includes(claimToken) && !sent.includes(secret)));
		await press(page, "Copy Secret");

		pages.service.clock.advance(60_000);
		const second = await submit(pages.service, { email });
		await page.goto((await mailedLinks(pages.service, email, "withdraw", 2))[1] as string);
		await press(page, "Withdraw request");
		await page.getByRole("heading", { level: 1, name: "Your request was withdrawn" }).waitFor();
		assert.equal(await requestStatus(second.id), "withdrawn");
		noTroubles(watched);
		await context.close();
	});
});
