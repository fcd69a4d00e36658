// How many API requests the console sends: an address may send 100 a minute, for all colleagues behind it together.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { submit } from "../harness/access/access-requests.ts";
import { addApplication, putGrant } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { type OpenedPage, PAGES_URL } from "../harness/browser/pages.ts";
import { addPerson, lockPassword, type Person } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";

const MOST = 4;
const DESKTOP = { viewport: { width: 1440, height: 900 } };

describePages("the console", (pages) => {
	let ana: Person;
	let applicationId: string;
	before(async () => {
		const { service } = pages;
		ana = await addPerson(service, "ana.lopez", { display_name: "Ana López" });
		await lockPassword(service, ana);
		applicationId = (await addApplication(service, { name: "Orders" })).id;
		await putGrant(service, applicationId, ana.id);
		const { id } = await service.asAdmin("POST", "/api/v1/groups", { name: "Night shift" });
		await service.asAdmin("PUT", `/api/v1/groups/${id}/members/${ana.id}`);
		await submit(service, { project_name: "Warehouse" });
	});

	const callsOf = ({ requests }: OpenedPage, from: number) =>
		requests.slice(from).filter((request) => request.includes(`${PAGES_URL}/api/`));
	const atMost = async (opened: OpenedPage, act: () => Promise<unknown>, shown: () => Promise<unknown>) => {
		const from = opened.requests.length;
		await act();
		await shown();
		await opened.page.waitForLoadState("networkidle");
		const calls = callsOf(opened, from);
		assert.ok(calls.length > 0 && calls.length <= MOST, calls.join("\n"));
	};
	const personShown = async (page: Page) => {
		for (const text of ["This account is locked", "Night shift", "127.0.0.1", "Orders"])
			await page.locator("main").getByText(text).first().waitFor();
		await page.locator("main").getByText("Second factor").waitFor();
		await page.getByRole("heading", { name: "Recent events" }).scrollIntoViewIfNeeded();
		await page.getByRole("listitem").filter({ hasText: "ana.lopez" }).first().waitFor();
	};
	const overviewShown = async (page: Page) => {
		await page.getByRole("link", { name: "1 person is locked out" }).waitFor();
		await page.getByRole("link", { name: /^Review 1 request/ }).waitFor();
		await page.getByRole("link", { name: "Invite a colleague" }).waitFor();
		await page.getByRole("figure").nth(1).waitFor();
	};

	test("opens a person and the overview with four requests each, from a list and by a reload", async () => {
		const opened = await pages.openAs(ADMIN, "/console/people", DESKTOP);
		const { page, noTroubles } = opened;
		const row = page.getByRole("link", { name: /Ana López/ });
		await row.waitFor();
		await atMost(
			opened,
			() => row.click(),
			() => personShown(page),
		);
		await atMost(
			opened,
			() => page.reload(),
			() => personShown(page),
		);
		await atMost(
			opened,
			() => page.getByRole("link", { name: "Overview" }).first().click(),
			() => overviewShown(page),
		);
		await atMost(
			opened,
			() => page.reload(),
			() => overviewShown(page),
		);
		noTroubles();
	});

	test("asks for the tenant once in a tab", async () => {
		const opened = await pages.openAs(ADMIN, "/console/requests");
		const { page } = opened;
		const form = page.getByRole("link", { name: "Partner form" });
		await form.waitFor();
		await page.reload();
		await form.waitFor();
		await page.goto(`${PAGES_URL}/console/applications/${applicationId}#connect`);
		await page.getByText("Choose a framework to see its settings and code.").waitFor();
		const asked = callsOf(opened, 0).filter((request) => request.includes("/auth/methods"));
		assert.equal(asked.length, 1, asked.join("\n"));
		assert.equal(await page.getByRole("banner").getByText("Default", { exact: true }).count(), 1);
	});
});
