import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { BROWSER_SKIPPED } from "../harness/browser.ts";
import {
	fitsEveryWidth,
	noAxeViolations,
	noTroubles,
	openPages,
	PAGES_URL,
	type PagesUnderTest,
} from "../harness/pages.ts";
import { ADMIN } from "../harness/service.ts";

describe("/console", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	let pages: PagesUnderTest;
	before(async () => {
		pages = await openPages();
	});
	after(() => pages?.[Symbol.asyncDispose]());

	test("opens with the cookie of the session, in both schemes and on a phone", async () => {
		const watched = await pages.openAs(ADMIN, "/console");
		const { page, context } = watched;
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		assert.equal(await page.title(), "Overview · Latchkey");
		await noAxeViolations(page);
		await fitsEveryWidth(page);
		noTroubles(watched);
		const storage = await page.evaluate<string>("JSON.stringify({ ...localStorage, ...sessionStorage })");
		assert.doesNotMatch(storage, /eyJ|token/);
		await context.close();
	});

	test("names the tenant in its frame, on a phone in the drawer, and nowhere as markup", async () => {
		const { service } = pages;
		const token = await service.adminToken();
		const { body: me } = await service.call("GET", "/api/v1/users/me", { token });
		const name = "Haus <b>Nord</b> مرحبا";
		const path = `/api/v1/tenants/${me.data.tenant_id}` as const;
		assert.equal((await service.call("PATCH", path, { token, body: { name } })).status, 200);
		const watched = await pages.openAs(ADMIN, "/console");
		const { page, context } = watched;
		await page.getByRole("banner").getByText(name).waitFor();
		await page.setViewportSize({ width: 360, height: 740 });
		await page.getByRole("button", { name: "Open navigation" }).click();
		await page.getByRole("dialog").getByText(name).waitFor();
		await noAxeViolations(page);
		noTroubles(watched);
		await context.close();
		const { data } = (await service.call("GET", path, { token })).body;
		assert.equal(data.name, name);
	});

	test("without a session goes to the sign-in page, which knows the way back", async () => {
		const { page, context, requests } = await pages.open();
		await page.goto(`${PAGES_URL}/console`, { waitUntil: "commit" });
		await page.waitForURL(/\/sign-in/);
		assert.equal(page.url(), `${PAGES_URL}/sign-in?return_to=%2Fconsole`);
		assert.ok(requests.includes(`POST ${PAGES_URL}/api/v1/auth/refresh`));
		await context.close();
	});

	test("a list sends only its own filters to the API, regardless of the URL", async () => {
		const watched = await pages.openAs(ADMIN, "/console/people?q=admin&utm_source=mail&page=first");
		const { page, context, requests } = watched;
		await page.getByRole("rowheader", { name: "admin" }).waitFor();
		const lists = requests.filter((request) => request.includes("/api/v1/users?"));
		assert.deepEqual(lists, [`GET ${PAGES_URL}/api/v1/users?page=1&page_size=20&q=admin`]);
		await page.getByRole("searchbox").fill("adm");
		await page.waitForURL(`${PAGES_URL}/console/people?q=adm&utm_source=mail`);
		noTroubles(watched);
		await context.close();
	});
});
