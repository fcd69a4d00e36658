// The journey of a reviewer: sign in, review, approve and reject.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { decide, QUEUE, submit } from "../harness/access/access-requests.ts";
import { BROWSER_SKIPPED } from "../harness/browser/browser.ts";
import {
	fitsEveryWidth,
	noAxeViolations,
	noTroubles,
	openPages,
	PAGES_URL,
	tabTo,
} from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture } from "../harness/runs/fixture.ts";

describe("a reviewer", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	const pages = fixture(() => openPages());
	const reviewer = fixture(() => addPerson(pages.service, "rita", { roles: ["reviewer"] }));
	after(() => pages?.[Symbol.asyncDispose]());

	const project = (page: Page, name: string) =>
		page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
	const readRequest = async (id: string) => {
		const token = await pages.service.adminToken();
		return (await pages.service.call("GET", `${QUEUE}/${id}`, { token })).body.data;
	};

	test("signs in and decides the queue using only the keyboard, oldest first", async () => {
		const { service } = pages;
		const earlier = await submit(service, { company: "Engines Ltd", project_name: "Pilot" });
		await decide(service, earlier.id, "reject", { review_note: "Too little detail." });
		const first = await submit(service, { project_name: "First", company: "ENGINES Ltd" });
		const second = await submit(service, { project_name: "Second", company: "Navy" });
		await submit(service, { project_name: "Third", company: "Navy" });
		const watched = await pages.open("/console/requests");
		const { page, context } = watched;
		await page.getByLabel("Username or email").waitFor();
		assert.equal(page.url(), `${PAGES_URL}/sign-in?return_to=%2Fconsole%2Frequests`);
		assert.equal(await page.title(), "Sign in · Latchkey");
		await page.keyboard.type(reviewer.username);
		await tabTo(page, "Password", 1);
		await page.keyboard.type(reviewer.password);
		await page.keyboard.press("Enter");
		await project(page, "First");
		await page.getByText("Too little detail.").waitFor();
		await page.keyboard.press("j");
		await project(page, "Second");
		await page.keyboard.press("k");
		await project(page, "First");
		assert.equal(page.url(), `${PAGES_URL}/console/requests/${first.id}`);

		await page.keyboard.press("a");
		await page.getByText(/New application .First. · 3 scopes/).waitFor();
		for (let back = 0; back < 3; back++) await page.keyboard.press("Shift+Tab");
		await page.keyboard.press("Enter");
		await page.getByRole("radio", { name: /^New application/ }).waitFor();
		assert.equal(await page.getByRole("checkbox", { name: "Sign users in from its server" }).count(), 0);
		await tabTo(page, "Allowed addresses, row 1");
		await page.keyboard.type("203.0.113.9/24");
		await tabTo(page, "Approve and send email");
		await page.keyboard.press("Enter");
		await page.getByText("Host bits are set.").waitFor();
		await page.locator("[name='ip_allowlist.0']:focus[aria-invalid=true]").waitFor();
		await page.keyboard.press("Control+A");
		await page.keyboard.type("203.0.113.0/24");
		await tabTo(page, "Note to the applicant");
		await page.keyboard.type("Welcome jkar?");
		await tabTo(page, "Show the full email");
		await page.keyboard.press("Enter");
		const letter = page.getByRole("region", { name: "What is mailed" });
		await letter.getByText("Your access request was approved: First").waitFor();
		await letter.getByText(/Hello Ada Lovelace,.*claim#….*> Welcome jkar\?/s).waitFor();
		await noAxeViolations(page);
		await fitsEveryWidth(page);
		await tabTo(page, "Approve and send email");
		await page.keyboard.press("Enter");
		await page.getByText(/^Ada Lovelace's request was approved/).waitFor();

		await project(page, "Second");
		await page.keyboard.press("r");
		await page.getByLabel("Reason").waitFor();
		await page.keyboard.type("Please name the data.");
		await page.getByRole("blockquote").getByText("Please name the data.").waitFor();
		await tabTo(page, "Reject and send email");
		await page.keyboard.press("Enter");
		await project(page, "Third");

		assert.deepEqual(
			[await readRequest(first.id), await readRequest(second.id)].map((request) => [
				request.status,
				request.review_note,
				request.reviewed_by_name,
			]),
			[
				["approved", "Welcome jkar?", "rita"],
				["rejected", "Please name the data.", "rita"],
			],
		);
		noTroubles({ ...watched, troubles: watched.troubles.filter((text) => !text.includes("400")) });
		await context.close();
	});
});
