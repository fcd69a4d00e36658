// "Export CSV" of the lists in the console.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { submit, submitApproved } from "../harness/access/access-requests.ts";
import { addApplication, putGrant } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL, tabTo } from "../harness/browser/pages.ts";
import { addPerson, type Person } from "../harness/people/people.ts";

describePages("the export of a list", (pages) => {
	let auditor: Person;
	let appId: string;
	before(async () => {
		const { service } = pages;
		auditor = await addPerson(service, "audrey", { roles: ["auditor"], display_name: "=1+1" });
		appId = (await addApplication(service, { name: "Orders" })).id;
		await putGrant(service, appId, (await addPerson(service, "zoe", { display_name: "Zoë" })).id);
		await submit(service, { project_name: "Waiting project" });
		await submitApproved(service);
	});

	const start = (page: Page) => page.getByRole("button", { name: "Export CSV" });
	/** In the browser's time zone, as Swedish writes it: 2026-11-24. */
	const today = (page: Page) => page.evaluate(() => new Date().toLocaleDateString("sv"));
	const exported = async (page: Page, press: () => Promise<void>) => {
		const saved = page.waitForEvent("download");
		await press();
		const file = await saved;
		await page.getByText("The export was recorded in the audit trail").waitFor();
		return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
	};

	test("saves the rows that match the filters of each list, as UTF-8 and without formulas", async () => {
		for (const [path, name, contains, misses] of [
			["/console/people?q=audrey", "people", ",'=1+1,", "Zoë"],
			["/console/people?sort=name&q=zoe", "people", ",Zoë,", "audrey"],
			["/console/requests", "requests", "Waiting project", "approved"],
			["/console/requests?status=approved", "requests", "approved", "Waiting project"],
			["/console/clients?status=unclaimed", "api-clients", "unclaimed", "active"],
			[`/console/applications/${appId}?kind=user#access`, "grants", "zoe", "audrey"],
		] as const) {
			const { page, noTroubles, context } = await pages.openAs(auditor, path);
			const file = await exported(page, () => start(page).click());
			assert.equal(file.name, `${name}-${await today(page)}.csv`);
			assert.ok(file.text.startsWith("\uFEFFid,"), path);
			assert.ok(file.text.includes(contains), `${path}: ${file.text}`);
			assert.ok(!file.text.includes(misses), `${path}: ${file.text}`);
			noTroubles();
			await context.close();
		}
	});

	test("is canceled by its own button, which works by keyboard, and by leaving the screen", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, "/console/people");
		await start(page).waitFor();
		await page.route(/format=csv/, () => undefined);
		page.on("download", () => assert.fail("a canceled export saved a file"));
		await tabTo(page, "Export CSV");
		const refused = page.waitForEvent("requestfailed");
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Cancel export" }).waitFor();
		await page.keyboard.press("Enter");
		await refused;
		await page.getByText("Export canceled").waitFor();
		assert.equal(await page.evaluate("document.activeElement.textContent"), "Export CSV");
		await start(page).click();
		const left = page.waitForEvent("requestfailed");
		await page.getByRole("link", { name: "Applications" }).first().click();
		await left;
		noTroubles();
	});

	test("waits after 429 as long as the service asks, and continues", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, "/console/people");
		await start(page).waitFor();
		await page.route(
			/format=csv/,
			(route) =>
				route.fulfill({
					status: 429,
					headers: { "retry-after": "2" },
					json: { code: "request.too_many", title: "x" },
				}),
			{ times: 1 },
		);
		await start(page).click();
		await page.getByRole("button", { name: "Try again in 2 s" }).waitFor();
		await assertAccessible(page);
		const again = page.getByRole("button", { name: "Try again", exact: true });
		const file = await exported(page, () => again.click());
		assert.equal(file.name, `people-${await today(page)}.csv`);
		await again.waitFor({ state: "detached" });
		noTroubles(/status of 429/);
	});

	test("says if the connection ends before the file is complete", async () => {
		const { page, noTroubles } = await pages.openAs(auditor, "/console/people");
		await start(page).waitFor();
		await page.route(/format=csv/, (route) => route.abort());
		await start(page).click();
		await page.getByRole("alert").getByText("No response arrived").waitFor();
		assert.equal(await start(page).isEnabled(), true);
		assert.equal(new URL(page.url()).origin, PAGES_URL);
		noTroubles(/ERR_FAILED/);
	});
});
