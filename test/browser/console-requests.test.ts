// `/console/requests`: the review queue.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { Page } from "playwright-core";
import { auditOf, decide, QUEUE, submit } from "../harness/access/access-requests.ts";
import { addRequestable } from "../harness/access/person-requests.ts";
import type {} from "../harness/browser/browser.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { fillByKeyboard, press } from "../harness/browser/keyboard.ts";
import { assertAccessible, noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { ADMIN } from "../harness/service/service.ts";

const HOSTILE = `<img src=x onerror="alert(1)">`;
const RIGHT_TO_LEFT = "مشروع الفوترة";
const COUNT = 40;
/** One per decision, and the lists. */
const CALLS_MAX = 60;

/** Runs in the page. */
const SCROLLED = `({
	page: scrollY,
	request: document.querySelector(".lk-request__read").scrollTop,
	isDecisionInSight: document.querySelector(".lk-decision").getBoundingClientRect().bottom <= innerHeight,
})`;

describePages("/console/requests", (pages) => {
	const reviewer = fixture(() => addPerson(pages.service, "rita", { roles: ["reviewer"] }));

	const project = (page: Page, name: string) =>
		page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
	const empty = async () => {
		const token = await pages.service.adminToken();
		const { data } = (await pages.service.call("GET", `${QUEUE}?status=pending&page_size=100`, { token }))
			.body;
		for (const { id } of data) await decide(pages.service, id, "reject");
	};

	afterEach(empty);

	test("opens a request from the link in the mail after a sign-in, and accepts only the first decision", async () => {
		const { service } = pages;
		const { id } = await submit(service, { project_name: "Linked" });
		await submit(service, { project_name: "Next one" });
		const signedOut = await pages.open();
		await signedOut.page.goto(`${PAGES_URL}/console/requests/${id}`, { waitUntil: "commit" });
		await signedOut.page.waitForURL(/\/sign-in/);
		assert.equal(new URL(signedOut.page.url()).searchParams.get("return_to"), `/console/requests/${id}`);

		const { page } = await pages.openAs(ADMIN, `/console/requests/${id}`);
		await project(page, "Linked");
		await page.getByRole("button", { name: "Reject…" }).click();
		await page.getByLabel("Reason").fill("Not now.");
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Reject…" }).click();
		assert.equal(await page.getByLabel("Reason").inputValue(), "Not now.");
		const reviewing = { token: reviewer.token, body: {} };
		assert.equal((await service.call("POST", `${QUEUE}/${id}/approve`, reviewing)).status, 200);
		await page.getByRole("button", { name: "Reject and send email" }).click();
		await page.getByText("Approved by rita.").waitFor();
		assert.equal(await page.getByRole("button", { name: "Reject and send email" }).count(), 0);
		await page.getByRole("button", { name: "Send the link again" }).click();
		await page.getByText(/^A new link was sent to applicant-/).waitFor();
	});

	test("keeps the text typed for a request while you view others", async () => {
		const { service } = pages;
		await submit(service, { project_name: "Kept" });
		await submit(service, { project_name: "Other" });
		const { page } = await pages.openAs(reviewer, "/console/requests");
		await project(page, "Kept");
		await page.keyboard.press("r");
		await page.getByLabel("Reason").fill("Half a sent");
		await page.locator(".lk-request-list__row", { hasText: "Other" }).click();
		await project(page, "Other");
		await page.keyboard.press("k");
		await project(page, "Kept");
		assert.equal(await page.getByLabel("Reason").inputValue(), "Half a sent");
	});

	test("offers an auditor no decisions", async () => {
		const { service } = pages;
		await submit(service, { project_name: "Read only" });
		const auditor = await addPerson(service, "audrey", { roles: ["auditor"] });
		const { page, noTroubles } = await pages.openAs(auditor, "/console/requests");
		await project(page, "Read only");
		await page.keyboard.press("a");
		assert.equal(await page.getByRole("button", { name: /^(Approve|Reject)/ }).count(), 0);
		noTroubles();
	});

	test("shows hostile and right-to-left text, fits a phone, and is accessible in both color schemes", async () => {
		const { service } = pages;
		const fields = { applicant_name: HOSTILE, company: RIGHT_TO_LEFT, purpose: HOSTILE };
		await submit(service, { ...fields, project_name: HOSTILE, company: "\u0420\u0430ypal" });
		await submit(service, { ...fields, applicant_name: RIGHT_TO_LEFT, project_name: "W".repeat(200) });
		const { page, noTroubles } = await pages.openAs(reviewer, "/console/requests", {
			viewport: { width: 1280, height: 800 },
		});
		await project(page, HOSTILE);
		assert.equal(await page.getByRole("link").getByText("Mixed scripts").count(), 1);
		await page.getByText("may imitate another name: \u0420\u0430ypal").waitFor();
		await page.getByText("WWWW").last().waitFor();
		await assertAccessible(page);
		await page.keyboard.press("a");
		await page.getByRole("button", { name: "Change" }).click();
		await page.getByRole("radio", { name: "Existing application" }).click();
		await page.getByLabel("Find an application by name").waitFor();
		await assertAccessible(page);
		await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
		const dialog = page.getByRole("dialog");
		await noAxeViolations(page);
		await dialog.getByRole("checkbox", { name: "Enable keyboard shortcuts" }).uncheck();
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Cancel" }).click();
		await page.keyboard.press("r");
		assert.equal(await page.getByLabel("Reason").count(), 0);
		noTroubles();
	});

	test("navigates between the list and a request on a phone, in Chinese", async () => {
		await submit(pages.service, { project_name: "账单系统", company: "\u0420\u0430ypal" });
		const phone = { viewport: { width: 390, height: 844 }, locale: "zh-CN", hasTouch: true, isMobile: true };
		const { page } = await pages.openAs(reviewer, "/console/requests", phone);
		await page.getByRole("link", { name: /账单系统/ }).click();
		await project(page, "账单系统");
		await page.getByText("可能冒充其他名称：\u0420\u0430ypal").waitFor();
		await page.getByRole("button", { name: "批准…" }).waitFor();
		await page.goBack();
		await page.getByRole("link", { name: /账单系统/ }).waitFor();
	});

	test("needs two keys per request and no scrolling for 40 requests, each from its top, in fewer than 60 API calls beside those for related requests", async () => {
		const { service } = pages;
		const purpose = "A long purpose.\n".repeat(60);
		for (let count = 0; count < COUNT; count++)
			await submit(service, { project_name: `Queue ${count}`, purpose, company: `Partner ${count}` });
		const { page, requests, noTroubles } = await pages.openAs(reviewer, "/console/requests", {
			viewport: { width: 1280, height: 800 },
		});
		let keys = 0;
		const press = async (key: string) => {
			keys += 1;
			await page.keyboard.press(key);
		};
		for (let count = 0; count < COUNT; count++) {
			await project(page, `Queue ${count}`);
			assert.deepEqual(await page.evaluate(SCROLLED), { page: 0, request: 0, isDecisionInSight: true });
			// As if the reviewer had read to the end.
			await page.evaluate("document.querySelector('.lk-request__read').scrollTo(0, 1e6)");
			await press("a");
			await page.locator("[type=submit]:focus").waitFor();
			await press("Control+Enter");
		}
		await page.getByText("No request is waiting").waitFor();
		assert.equal(keys, 2 * COUNT);
		const calls = requests.filter((request) => request.includes(` ${PAGES_URL}/api/v1/`));
		// The related requests of a request load only if it stays open for a moment, so their number depends on the machine.
		const related = calls.filter((call) => call.includes("?related_to="));
		assert.ok(related.length <= COUNT);
		const others = calls.filter((call) => !related.includes(call));
		assert.ok(others.length < CALLS_MAX, `${others.length} calls:\n${others.join("\n")}`);
		noTroubles();
	});

	test("selects requests by keys and ranges, and rejects them with one reason", async () => {
		const { service } = pages;
		const submitted: Awaited<ReturnType<typeof submit>>[] = [];
		for (let count = 0; count < 5; count++)
			submitted.push(await submit(service, { project_name: `Bulk ${count}` }));
		const { page } = await pages.openAs(reviewer, "/console/requests");
		const box = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
		const bar = page.getByRole("region", { name: "Selected rows" });
		await page.clock.install();
		await page.reload();
		await project(page, "Bulk 0");
		await page.keyboard.press("x");
		await page.getByText("1 selected").waitFor();
		for (const next of ["Bulk 1", "Bulk 2"]) {
			await page.keyboard.press("j");
			await project(page, next);
		}
		await page.keyboard.press("X");
		await page.getByText("3 selected").waitFor();
		await page.keyboard.press("r");
		await page.getByLabel("Reason").waitFor();
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Approve…" }).waitFor();
		assert.equal(await bar.count(), 1);
		await page.keyboard.press("Escape");
		await bar.waitFor({ state: "detached" });

		await box("Bulk 1").click();
		await box("Bulk 3").click({ modifiers: ["Shift"] });
		await page.getByText("3 selected").waitFor();
		assert.equal(await page.evaluate("getSelection().toString()"), "");
		await submit(service, { project_name: "Just arrived" });
		await page.clock.fastForward("00:31");
		await page.getByRole("button", { name: "1 new request" }).waitFor();
		await page.getByText("3 selected").waitFor();
		await assertAccessible(page);

		await bar.getByRole("button", { name: "Reject…" }).click();
		const dialog = page.getByRole("dialog", { name: "Reject 3 requests?" });
		const send = dialog.getByRole("button", { name: "Reject and send email" });
		await send.click();
		await dialog.getByText("Enter a reason.").waitFor();
		await dialog.locator("[name=review_note]:focus").waitFor();
		await page.keyboard.type("No longer offered.");
		await assertAccessible(page);
		await decide(service, submitted[3]?.id ?? "", "approve");
		await send.click();
		await page
			.getByRole("dialog", { name: "1 couldn't be changed" })
			.getByText(/^Bulk 3: .+/)
			.waitFor();
		await page.getByText("2 of 3 done").waitFor();
		await page.keyboard.press("Escape");
		await project(page, "Bulk 0");
		await box("Bulk 4").waitFor();
		for (const name of ["Bulk 1", "Bulk 2", "Bulk 3"]) assert.equal(await box(name).count(), 0, name);
		const decided = [];
		for (const { id } of submitted) decided.push(await service.asAdmin("GET", `${QUEUE}/${id}`));
		assert.deepEqual(
			decided.map(({ status, review_note }) => `${status} ${review_note}`.trim()),
			["pending", "rejected No longer offered.", "rejected No longer offered.", "approved", "pending"],
		);
		const events = await auditOf(service, `access_request:${submitted[1]?.id}`);
		assert.match(events.at(-1) ?? "", / access_request\.rejected$/);
	});

	test("takes a person by keys alone from a withdrawn request to a decided one, and to the application", async () => {
		const { service } = pages;
		const name = "Ledger";
		await addRequestable(service, {}, { name, homepage_url: `${PAGES_URL}/docs` });
		const asker = await addPerson(service, "ada");
		const { page, noTroubles } = await pages.openAs(asker, "/account");
		const ask = async () => {
			await press(page, `Request access ${name}`);
			const values = { reason: "To close the books.", "roles-closer": "Space" };
			await fillByKeyboard(page, "Send request", { text: "", values });
			await page.keyboard.press("Enter");
			await page.getByText(`Your request for ${name} was sent.`).waitFor();
			await page.getByRole("listitem").getByText("Requested").waitFor();
		};
		await ask();
		await press(page, "Access");
		await press(page, `Withdraw ${name}`);
		await press(page, "Withdraw");
		await page.getByText("Your request was withdrawn.").waitFor();
		await press(page, "Profile");
		await ask();

		const reviewing = await pages.openAs(reviewer, "/console/requests?kind=person");
		await project(reviewing.page, name);
		await reviewing.page.keyboard.press("a");
		await reviewing.page.locator("[type=submit]:focus").waitFor();
		await reviewing.page.keyboard.press("Control+Enter");
		await reviewing.page.getByText("No request is waiting").waitFor();
		reviewing.noTroubles();

		await press(page, "Access");
		await page.getByText("Approved", { exact: true }).waitFor();
		await page.getByText("Withdrawn", { exact: true }).waitFor();
		await press(page, "Profile");
		await press(page, `Open ${name}`);
		await page.waitForURL(`${PAGES_URL}/docs`);
		noTroubles();
	});

	test("counts a request as rejected if only the response was lost", async () => {
		const { service } = pages;
		for (const project_name of ["Lost", "Found"]) await submit(service, { project_name });
		const { page } = await pages.openAs(reviewer, "/console/requests");
		await project(page, "Lost");
		await page.getByRole("checkbox", { name: "Select all on this page" }).check();
		await page.route(
			"**/requests/*/reject",
			async (route) => {
				const id = new URL(route.request().url()).pathname.split("/").at(-2) ?? "";
				await decide(service, id, "reject", { review_note: "Closed." });
				await route.abort();
			},
			{ times: 1 },
		);
		await page
			.getByRole("region", { name: "Selected rows" })
			.getByRole("button", { name: "Reject…" })
			.click();
		await page.getByRole("dialog").getByLabel("Reason").fill(" Closed. ");
		await page.getByRole("button", { name: "Reject and send email" }).click();
		await page.getByText("0 of 2 done, stopped: No response arrived.").waitFor();
		await page.getByRole("button", { name: "Continue" }).click();
		await page.getByText("2 of 2 done").waitFor();
		await page.getByText("No request is waiting").waitFor();
	});

	test("moves to the next page with j, and reports requests that arrive", async () => {
		const { service } = pages;
		for (let count = 0; count < 21; count++) await submit(service, { project_name: `Row ${count}` });
		const { page, noTroubles } = await pages.openAs(reviewer, "/console/requests");
		await page.locator(".lk-request-list__row", { hasText: "Row 19" }).click();
		await project(page, "Row 19");
		await page.keyboard.press("j");
		await project(page, "Row 20");
		await page.keyboard.press("k");
		await project(page, "Row 19");
		await page.clock.install();
		await page.reload();
		await project(page, "Row 19");
		await submit(service, { project_name: "Just arrived" });
		await page.clock.fastForward("00:31");
		await page.getByRole("button", { name: "1 new request" }).click();
		await page.clock.fastForward(1_000);
		await page.getByRole("link", { name: /Just arrived/ }).waitFor();
		noTroubles();
	});
});
